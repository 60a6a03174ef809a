"""Ports of the nodes' servers, and the responses of healthy ones."""
TCP, HTTP, HTTPS, DNS = 7000, 80, 443, 53
PATH = "/health"
GREETING = "ready"
