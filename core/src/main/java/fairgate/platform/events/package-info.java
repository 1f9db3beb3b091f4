/// Delivery of append-only events from Redis: the relay reads each sale's outbox stream and
/// delivers it at least once, without loss; optionally through Kafka.
@NullMarked
@CheckReturnValue
package fairgate.platform.events;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
