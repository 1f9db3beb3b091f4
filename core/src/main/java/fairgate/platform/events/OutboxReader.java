package fairgate.platform.events;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// A consumer of the group `ledger` with a Redis connection of its own. In a cluster it uses the
/// shared connections, because each stream must be read separately. Blocks; used by one thread.
///
/// Every failure of Redis is thrown as ServiceUnavailable: the relay then starts again with a new
/// reader, from its pending entries.
final class OutboxReader implements AutoCloseable {
  static final String GROUP = "ledger";
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final RedisClient redis;

  /// Null in a cluster.
  private final RedisClient.@Nullable Session session;

  private final String consumer;

  private OutboxReader(RedisClient redis, RedisClient.@Nullable Session session, String consumer) {
    this.redis = redis;
    this.session = session;
    this.consumer = consumer;
  }

  static OutboxReader open(RedisClient redis, String consumer) {
    RedisClient.Session own = redis.clustered() ? null : await(redis.session(), TIMEOUT);
    return new OutboxReader(redis, own, consumer);
  }

  /// Whether `next` waits for entries. Otherwise the caller must pause between reads.
  boolean blocks() {
    return session != null;
  }

  /// Creates the consumer group at the beginning of the stream unless it exists.
  void ensureGroup(OutboxStream stream) {
    try {
      call(stream, "XGROUP", "CREATE", stream.key(), GROUP, "0", "MKSTREAM");
    } catch (ServiceUnavailable refused) {
      if (!String.valueOf(refused.getMessage()).contains("BUSYGROUP")) {
        throw refused;
      }
    }
  }

  /// The pending entries of this consumer after the id.
  List<OutboxEntry> ownPending(OutboxStream stream, String after, int maxCount) {
    RedisReply reply =
        call(
            stream,
            "XREADGROUP",
            "GROUP",
            GROUP,
            consumer,
            "COUNT",
            Integer.toString(maxCount),
            "STREAMS",
            stream.key(),
            after);
    return entries(reply.get(stream.key()));
  }

  /// New entries of several streams. Waits for the first one, except in a cluster. Streams without
  /// new entries are left out.
  Map<OutboxStream, List<OutboxEntry>> next(
      List<OutboxStream> streams, int maxCount, Duration wait) {
    RedisClient.Session own = session;
    return own == null ? nextOfEach(streams, maxCount) : next(own, streams, maxCount, wait);
  }

  private Map<OutboxStream, List<OutboxEntry>> next(
      RedisClient.Session own, List<OutboxStream> streams, int maxCount, Duration wait) {
    List<String> args =
        new ArrayList<>(
            List.of(
                "GROUP",
                GROUP,
                consumer,
                "COUNT",
                Integer.toString(maxCount),
                "BLOCK",
                Long.toString(Math.max(1, wait.toMillis())),
                "STREAMS"));
    streams.forEach(stream -> args.add(stream.key()));
    streams.forEach(_ -> args.add(">"));
    RedisReply reply =
        await(own.send("XREADGROUP", args.toArray(String[]::new)), TIMEOUT.plus(wait));
    Map<OutboxStream, List<OutboxEntry>> found = new LinkedHashMap<>();
    if (!reply.isNil()) {
      for (OutboxStream stream : streams) {
        List<OutboxEntry> entries = entries(reply.get(stream.key()));
        if (!entries.isEmpty()) {
          found.put(stream, entries);
        }
      }
    }
    return found;
  }

  /// Streams of different slots cannot be read by one command, nor waited for on one connection.
  private Map<OutboxStream, List<OutboxEntry>> nextOfEach(
      List<OutboxStream> streams, int maxCount) {
    Map<OutboxStream, Future<RedisReply>> replies = new LinkedHashMap<>();
    for (OutboxStream stream : streams) {
      String count = Integer.toString(maxCount);
      replies.put(
          stream,
          send(
              stream,
              "XREADGROUP",
              "GROUP",
              GROUP,
              consumer,
              "COUNT",
              count,
              "STREAMS",
              stream.key(),
              ">"));
    }
    Map<OutboxStream, List<OutboxEntry>> found = new LinkedHashMap<>();
    replies.forEach(
        (stream, answer) -> {
          RedisReply reply = await(answer, TIMEOUT);
          List<OutboxEntry> entries = reply.isNil() ? List.of() : entries(reply.get(stream.key()));
          if (!entries.isEmpty()) {
            found.put(stream, entries);
          }
        });
    return found;
  }

  /// Claims entries that have been idle for this long at any consumer.
  List<OutboxEntry> claim(OutboxStream stream, Duration idle, int maxCount) {
    RedisReply reply =
        call(
            stream,
            "XAUTOCLAIM",
            stream.key(),
            GROUP,
            consumer,
            Long.toString(idle.toMillis()),
            "0-0",
            "COUNT",
            Integer.toString(maxCount));
    return entries(reply.at(1));
  }

  void acknowledge(OutboxStream stream, List<OutboxEntry> entries) {
    List<String> args = new ArrayList<>(entries.size() + 2);
    args.add(stream.key());
    args.add(GROUP);
    entries.forEach(entry -> args.add(entry.id()));
    call(stream, "XACK", args.toArray(String[]::new));
  }

  /// Trims finished entries before the floor; never one that is unread or pending.
  void trim(OutboxStream stream, StreamPosition floor) {
    StreamPosition safe = firstPending(stream).orElseGet(() -> delivered(stream));
    StreamPosition least = floor.compareTo(safe) < 0 ? floor : safe;
    call(stream, "XTRIM", stream.key(), "MINID", "~", least.toString());
  }

  RelayStatus.StreamLag lag(OutboxStream stream, long nowMillis) {
    RedisReply group = group(stream);
    long pending = group.get("pending").number();
    RedisReply known = group.get("lag");
    // Redis reports no lag for a stream from which single entries were deleted.
    long undelivered = known.isNil() ? call(stream, "XLEN", stream.key()).number() : known.number();
    if (pending + undelivered == 0) {
      return new RelayStatus.StreamLag(stream.product(), 0, 0, Duration.ZERO);
    }
    Optional<StreamPosition> oldest =
        pending > 0 ? firstPending(stream) : firstAfter(stream, group.get("last-delivered-id"));
    Duration age =
        oldest
            .map(at -> Duration.ofMillis(Math.max(0, nowMillis - at.millis())))
            .orElse(Duration.ZERO);
    return new RelayStatus.StreamLag(stream.product(), undelivered, pending, age);
  }

  private StreamPosition delivered(OutboxStream stream) {
    return StreamPosition.of(group(stream).get("last-delivered-id").text());
  }

  private Optional<StreamPosition> firstPending(OutboxStream stream) {
    RedisReply least = call(stream, "XPENDING", stream.key(), GROUP).at(1);
    return least.isNil() ? Optional.empty() : Optional.of(StreamPosition.of(least.text()));
  }

  private Optional<StreamPosition> firstAfter(OutboxStream stream, RedisReply id) {
    RedisReply found = call(stream, "XRANGE", stream.key(), "(" + id.text(), "+", "COUNT", "1");
    return found.size() == 0
        ? Optional.empty()
        : Optional.of(StreamPosition.of(found.at(0).textAt(0)));
  }

  private RedisReply group(OutboxStream stream) {
    RedisReply groups = call(stream, "XINFO", "GROUPS", stream.key());
    for (int i = 0; i < groups.size(); i++) {
      if (groups.at(i).get("name").text().equals(GROUP)) {
        return groups.at(i);
      }
    }
    throw new ServiceUnavailable("NOGROUP on " + stream.key(), RETRY_AFTER);
  }

  static List<OutboxEntry> entries(RedisReply reply) {
    List<OutboxEntry> entries = new ArrayList<>(reply.size());
    for (int i = 0; i < reply.size(); i++) {
      RedisReply entry = reply.at(i);
      RedisReply pairs = entry.at(1);
      Map<String, String> fields = new HashMap<>();
      // No fields: the entry was deleted while it was pending. The sink refuses it.
      for (int f = 0; f + 1 < pairs.size(); f += 2) {
        fields.put(pairs.textAt(f), pairs.textAt(f + 1));
      }
      entries.add(new OutboxEntry(entry.textAt(0), fields));
    }
    return entries;
  }

  @CanIgnoreReturnValue
  private RedisReply call(OutboxStream stream, String command, String... args) {
    return await(send(stream, command, args), TIMEOUT);
  }

  private Future<RedisReply> send(OutboxStream stream, String command, String... args) {
    RedisClient.Session own = session;
    return own == null ? redis.sendTo(stream.key(), command, args) : own.send(command, args);
  }

  private static <T> T await(Future<T> future, Duration timeout) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new ServiceUnavailable("redis: " + e.getCause(), RETRY_AFTER);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("redis does not answer", RETRY_AFTER);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable("interrupted while waiting for redis", RETRY_AFTER);
    }
  }

  @Override
  public void close() {
    if (session != null) {
      session.close();
    }
  }

  /// The id of a stream entry as two numbers, for comparison.
  record StreamPosition(long millis, long number) implements Comparable<StreamPosition> {
    static StreamPosition of(String id) {
      int dash = id.indexOf('-');
      return dash < 0
          ? new StreamPosition(Long.parseLong(id), 0)
          : new StreamPosition(
              Long.parseLong(id.substring(0, dash)), Long.parseLong(id.substring(dash + 1)));
    }

    @Override
    public int compareTo(StreamPosition other) {
      int byMillis = Long.compareUnsigned(millis, other.millis);
      return byMillis != 0 ? byMillis : Long.compareUnsigned(number, other.number);
    }

    @Override
    public String toString() {
      return millis + "-" + number;
    }
  }
}
