#ifndef NEARCAST_ALLOCATION_COUNTER_H
#define NEARCAST_ALLOCATION_COUNTER_H

/// How often the calling thread has asked for memory since it started.
unsigned long nc_allocation_count(void);

#endif
