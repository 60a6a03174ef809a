// The part of libbpf that the control plane uses; BPFRuntime is its only importer.
#pragma once
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
