package fairgate.platform.events;

import java.time.Duration;

/// The state of the path through Kafka at this node's last check.
///
/// @param up whether the brokers respond
/// @param writing whether this node's last write from Kafka to the ledger succeeded
/// @param lag the number of entries in Kafka that are not in the ledger, of all sales and nodes
/// @param oldest the age of the oldest entry that this node has read and not finished
/// @param deadLetters the number of parked entries at the last count
public record KafkaStatus(
    boolean up, boolean writing, long lag, Duration oldest, long deadLetters) {}
