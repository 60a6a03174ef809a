// libmaxminddb; GeoData is its only importer.
#pragma once
#include <maxminddb.h>
