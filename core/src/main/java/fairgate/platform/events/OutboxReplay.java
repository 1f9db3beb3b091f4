package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Delivers all entries that an outbox still has to a sink, acknowledged or not. Relays may run at
/// the same time: duplicates change nothing. Blocks; throws ServiceUnavailable when Redis or the
/// sink does not respond.
public record OutboxReplay(RedisClient redis, OutboxSink sink) {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxReplay.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int BATCH = 1_000;

  /// Whether a relay has acknowledged every entry of the stream.
  public boolean acknowledged(OutboxStream stream) {
    RedisReply groups = within(redis.sendTo(stream.key(), "XINFO", "GROUPS", stream.key()));
    if (groups.size() == 0) {
      return false;
    }
    RedisReply group = groups.at(0);
    String delivered = "(" + group.get("last-delivered-id").text();
    return group.get("pending").number() == 0 && read(redis, stream, delivered).isEmpty();
  }

  /// Replays the stream from its beginning, and returns the entries that the sink refused because
  /// of their content. The relays still handle those.
  public List<OutboxEntry> run(OutboxStream stream) {
    List<OutboxEntry> refused = new ArrayList<>();
    read(redis, stream, entries -> apply(stream, entries, refused));
    return refused;
  }

  /// Passes all entries that the stream still has, in chunks.
  public static void read(
      RedisClient redis, OutboxStream stream, Consumer<List<OutboxEntry>> reader) {
    String from = "-";
    while (true) {
      List<OutboxEntry> entries = read(redis, stream, from);
      if (entries.isEmpty()) {
        return;
      }
      reader.accept(entries);
      from = "(" + entries.getLast().id();
    }
  }

  private static List<OutboxEntry> read(RedisClient redis, OutboxStream stream, String from) {
    return OutboxReader.entries(
        within(redis.send("XRANGE", stream.key(), from, "+", "COUNT", Integer.toString(BATCH))));
  }

  private static RedisReply within(Future<RedisReply> call) {
    return BlockingWork.within(TIMEOUT, call, "redis did not answer in time");
  }

  /// Halves a refused batch until the faulty entries are alone.
  private void apply(OutboxStream stream, List<OutboxEntry> entries, List<OutboxEntry> refused) {
    try {
      sink.apply(stream, entries);
    } catch (ServiceUnavailable away) {
      throw away;
    } catch (RuntimeException e) {
      if (entries.size() == 1) {
        LOG.warn(
            "Outbox entry refused in a replay; productId={} entry={}",
            stream.product(),
            entries.getFirst().id(),
            e);
        refused.addAll(entries);
        return;
      }
      int half = entries.size() / 2;
      apply(stream, entries.subList(0, half), refused);
      apply(stream, entries.subList(half, entries.size()), refused);
    }
  }
}
