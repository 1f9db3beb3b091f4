package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Combines pending calls of one script and one slot into one EVALSHA (micro-batching).
///
/// Calls made during one iteration of the event loop, or while an earlier batch is in flight, share
/// a batch: batches grow with the load, and an idle server adds no delay. Half a batch is sent at
/// once, so that Redis works while the event loop reads on. A batch is one run of the script: all
/// its items see the same time, no other script runs in between, and it is one block in the
/// append-only file. The reply to an item is a text; a text that starts with `FAULT` fails that
/// item only.
public final class ScriptBatcher {
  /// A second batch is sent only when waiting would not make it cheaper: the first is small, or
  /// this one is full, so the cost of a run is shared by many items.
  private static final int MAX_IN_FLIGHT = 2;

  /// A batch with fewer items completes before many more calls arrive.
  private static final int SMALL_BATCH = 8;

  private static final int MAX_PENDING = 20_000;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final RedisClient client;
  private final LuaScript script;
  private final int maxBatchSize;
  private final Map<LoopConnection, Map<String, Queue>> queues = new ConcurrentHashMap<>();

  /// @param maxBatchSize the number of items per script run; it limits how long one run blocks
  ///   Redis
  public ScriptBatcher(RedisClient client, LuaScript script, int maxBatchSize) {
    this.client = client;
    this.script = script;
    this.maxBatchSize = maxBatchSize;
  }

  /// The part that all items of a batch share: a Redis slot, the leading keys and the leading
  /// arguments. Calls with equal `slot` must have equal keys and arguments.
  public record Shared(String slot, List<String> keys, List<String> args) {}

  /// The keys and arguments of one call. Their numbers are fixed for a script.
  public record Item(List<String> keys, List<String> args) {}

  @FunctionalInterface
  public interface Reader<T> {
    /// The result for the caller.
    ///
    /// @param sharedReply the text after those of all items
    T read(String text, SharedReply sharedReply);
  }

  /// The part of a reply that concerns the whole run: one text after those of the items. Used on
  /// one thread.
  public static final class SharedReply {
    private final RedisReply reply;
    private final int index;
    private @Nullable Object parsed;

    private SharedReply(RedisReply reply, int index) {
      this.reply = reply;
      this.index = index;
    }

    /// The parsed text. It is parsed for the first item that asks, so all items must use the same
    /// parser.
    @SuppressWarnings("unchecked") // Of one script's only reader.
    public <R> R parsed(Function<String, R> parse) {
      if (parsed == null) {
        parsed = parse.apply(reply.textAt(index));
      }
      return (R) parsed;
    }
  }

  /// Adds a call to the next batch. The future completes with the item's reply on the caller's
  /// event loop.
  public Future<String> call(Shared shared, Item item) {
    return call(shared, item, (text, _) -> text);
  }

  /// Adds a call to the next batch and converts its reply.
  public <T> Future<T> call(Shared shared, Item item, Reader<T> reader) {
    LoopConnection connection = client.connection();
    PendingCall<T> pending = new PendingCall<>(item, Promise.promise(), reader);
    if (connection.isOnLoop()) {
      queue(connection, shared, item).add(pending);
    } else {
      connection.context().runOnContext(_ -> queue(connection, shared, item).add(pending));
    }
    return pending.promise().future();
  }

  /// Adds calls together. Calls that are made one by one by a thread other than an event loop
  /// rarely share a batch.
  ///
  /// @return the replies, in the order of the items
  public List<Future<String>> callAll(Shared shared, List<Item> items) {
    LoopConnection connection = client.connection();
    List<PendingCall<String>> calls =
        items.stream()
            .map(item -> new PendingCall<>(item, Promise.promise(), (text, _) -> text))
            .toList();
    Runnable add = () -> calls.forEach(call -> queue(connection, shared, call.item()).add(call));
    if (connection.isOnLoop()) {
      add.run();
    } else {
      connection.context().runOnContext(_ -> add.run());
    }
    return calls.stream().map(call -> call.promise().future()).toList();
  }

  /// The queue of a slot. It exists only while calls are pending or in flight.
  private Queue queue(LoopConnection connection, Shared shared, Item item) {
    Map<String, Queue> here = queues.computeIfAbsent(connection, _ -> new HashMap<>());
    if (connection.requiresOneSlot() && shared.keys().isEmpty()) {
      // Calls without shared keys share a run only when their own keys are in the same slot.
      String name = shared.slot() + ' ' + KeySlot.of(item.keys().getFirst());
      return here.computeIfAbsent(
          name, _ -> new Queue(connection, shared, () -> here.remove(name)));
    }
    String name = shared.slot();
    return here.computeIfAbsent(name, _ -> new Queue(connection, shared, () -> here.remove(name)));
  }

  private record PendingCall<T>(Item item, Promise<T> promise, Reader<T> reader) {
    void settle(String text, SharedReply sharedReply) {
      T read;
      try {
        read = reader.read(text, sharedReply);
      } catch (RuntimeException e) {
        promise.fail(e);
        return;
      }
      promise.complete(read);
    }
  }

  /// The pending calls of one event loop for one slot. Used on that loop only.
  private final class Queue {
    private final LoopConnection connection;
    private final Shared shared;
    private final Runnable onEmpty;
    private final ArrayDeque<PendingCall<?>> pending = new ArrayDeque<>();
    private int inFlight;
    private int itemsInFlight;
    private boolean scheduled;

    /// @param onEmpty called when no call is pending or in flight
    Queue(LoopConnection connection, Shared shared, Runnable onEmpty) {
      this.connection = connection;
      this.shared = shared;
      this.onEmpty = onEmpty;
    }

    void add(PendingCall<?> one) {
      if (pending.size() >= MAX_PENDING) {
        one.promise()
            .fail(
                new ServiceUnavailable(script.name() + " has too many pending calls", RETRY_AFTER));
        return;
      }
      pending.add(one);
      if (pending.size() * 2 >= maxBatchSize && canSend()) {
        flush();
      } else if (!scheduled && canSend()) {
        scheduled = true;
        // Runs after the handlers of this iteration, which may add more calls.
        connection.context().runOnContext(_ -> flush());
      }
    }

    private boolean canSend() {
      return inFlight == 0
          || (inFlight < MAX_IN_FLIGHT
              && (itemsInFlight < SMALL_BATCH || pending.size() >= maxBatchSize));
    }

    void flush() {
      scheduled = false;
      while (!pending.isEmpty() && canSend()) {
        int size = Math.min(maxBatchSize, pending.size());
        List<PendingCall<?>> batch = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
          batch.add(pending.remove());
        }
        send(batch);
      }
    }

    private void send(List<PendingCall<?>> batch) {
      inFlight++;
      itemsInFlight += batch.size();
      List<String> first = shared.keys().isEmpty() ? batch.getFirst().item().keys() : shared.keys();
      connection
          .eval(
              script,
              first.getFirst(),
              (request, fence) -> {
                int keys = shared.keys().size() + (fence == null ? 0 : 1);
                for (PendingCall<?> one : batch) {
                  keys += one.item().keys().size();
                }
                request.arg(keys);
                addAll(request, shared.keys());
                for (PendingCall<?> one : batch) {
                  addAll(request, one.item().keys());
                }
                if (fence != null) {
                  request.arg(fence);
                }
                addAll(request, shared.args());
                for (PendingCall<?> one : batch) {
                  addAll(request, one.item().args());
                }
              })
          .onComplete(
              done -> {
                inFlight--;
                itemsInFlight -= batch.size();
                settle(batch, done.succeeded() ? done.result() : null, done.cause());
                flush();
                if (inFlight == 0 && pending.isEmpty()) {
                  onEmpty.run();
                }
              });
    }

    private void settle(
        List<PendingCall<?>> batch, @Nullable RedisReply reply, @Nullable Throwable cause) {
      if (reply == null) {
        Throwable why = cause == null ? new RedisFailure("no reply") : cause;
        batch.forEach(one -> one.promise().fail(why));
        return;
      }
      SharedReply sharedReply = new SharedReply(reply, batch.size());
      for (int i = 0; i < batch.size(); i++) {
        String text = reply.textAt(i);
        if (text.startsWith("FAULT")) {
          batch.get(i).promise().fail(new RedisFailure(script.name() + ": " + text));
        } else {
          batch.get(i).settle(text, sharedReply);
        }
      }
    }
  }

  private static void addAll(Request request, List<String> texts) {
    for (String text : texts) {
      request.arg(text);
    }
  }
}
