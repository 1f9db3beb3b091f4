package fairgate.platform.embedded;

/// The local address of a Redis cluster node.
///
/// @param uri `unix:///path`, for the owner of the data
/// @param port on the loopback address, for clients that follow slots; 0 without a cluster
/// @param busPort on the loopback address, for other nodes
public record ClusterAddress(String uri, int port, int busPort) {}
