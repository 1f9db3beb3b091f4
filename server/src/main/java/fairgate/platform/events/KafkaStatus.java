package fairgate.platform.events;

import java.time.Duration;

/// How the way through Kafka does, as last looked at from this node.
///
/// @param up whether the brokers answer
/// @param writing whether this node's last write into the ledger, from Kafka, went well
/// @param lag entries in Kafka that are not in the ledger, of all sales and nodes
/// @param oldest age of the oldest entry this node has read and not written yet
/// @param deadLetters parked and unresolved entries, as last counted
public record KafkaStatus(
    boolean up, boolean writing, long lag, Duration oldest, long deadLetters) {}
