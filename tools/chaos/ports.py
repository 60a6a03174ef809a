"""What the nodes' servers listen at, and what they say when they are well."""
TCP, HTTP, HTTPS, DNS = 7000, 80, 443, 53
PATH = "/health"
GREETING = "ready"
