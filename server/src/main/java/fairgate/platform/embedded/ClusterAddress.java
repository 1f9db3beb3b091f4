package fairgate.platform.embedded;

/// Where a Redis of a cluster is, on this machine.
///
/// @param uri `unix:///path`, for its owner
/// @param port on the loopback address, for clients that follow slots; 0 where it is no cluster
/// @param busPort on the loopback address, for the other nodes
public record ClusterAddress(String uri, int port, int busPort) {}
