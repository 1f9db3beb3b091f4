package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Micro-batching: many waiting calls of one script for one slot become one EVALSHA.
///
/// Everything that gathers during a tick of the event loop, or while earlier batches are under way,
/// goes together, so the batch grows with the load and an idle server adds no wait. A batch is one
/// script run: its items see one time and no other script in between, and it is one block in the
/// append-only file. An item's reply is a text; a text that starts with `FAULT` fails that item
/// alone.
public final class ScriptBatcher {
  private static final int IN_FLIGHT = 2;
  private static final int MOST_WAITING = 20_000;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final RedisClient client;
  private final LuaScript script;
  private final int mostItems;
  private final Map<Lane, Map<String, Queue>> queues = new ConcurrentHashMap<>();

  /// @param mostItems items per script run; bounds how long one run keeps Redis busy
  public ScriptBatcher(RedisClient client, LuaScript script, int mostItems) {
    this.client = client;
    this.script = script;
    this.mostItems = mostItems;
  }

  /// What all items of one batch share: one Redis slot, the leading keys and the leading arguments.
  /// Calls with equal `slot` must bring equal keys and arguments.
  public record Shared(String slot, List<String> keys, List<String> args) {}

  /// One call among many: its own keys and arguments, of a number that is fixed for the script.
  public record Item(List<String> keys, List<String> args) {}

  /// Adds the call to the next batch. The future completes with the item's reply on the caller's
  /// loop.
  public Future<String> call(Shared shared, Item item) {
    Lane lane = client.lane();
    Promise<String> promise = Promise.promise();
    if (lane.atHome()) {
      queue(lane, shared, item).add(item, promise);
    } else {
      lane.home().runOnContext(_ -> queue(lane, shared, item).add(item, promise));
    }
    return promise.future();
  }

  private Queue queue(Lane lane, Shared shared, Item item) {
    Map<String, Queue> here = queues.computeIfAbsent(lane, _ -> new HashMap<>());
    if (lane.splits() && shared.keys().isEmpty()) {
      // Calls that share nothing meet in a run only by chance: when their own keys share a slot.
      String name = shared.slot() + ' ' + KeySlot.of(item.keys().getFirst());
      return here.computeIfAbsent(name, _ -> new Queue(lane, shared, () -> here.remove(name)));
    }
    return here.computeIfAbsent(shared.slot(), _ -> new Queue(lane, shared, () -> {}));
  }

  private record Waiting(Item item, Promise<String> promise) {}

  /// The calls waiting on one loop for one slot. Touched on that loop only.
  private final class Queue {
    private final Lane lane;
    private final Shared shared;
    private final Runnable onEmpty;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private int inFlight;
    private boolean scheduled;

    /// @param onEmpty run when nothing waits and nothing is under way any more
    Queue(Lane lane, Shared shared, Runnable onEmpty) {
      this.lane = lane;
      this.shared = shared;
      this.onEmpty = onEmpty;
    }

    void add(Item item, Promise<String> promise) {
      if (waiting.size() >= MOST_WAITING) {
        promise.fail(new ServiceUnavailable(script.name() + " has too many waiting", RETRY_AFTER));
        return;
      }
      waiting.add(new Waiting(item, promise));
      if (!scheduled && inFlight < IN_FLIGHT) {
        scheduled = true;
        // Runs after the handlers of this tick, which may add more.
        lane.home().runOnContext(_ -> flush());
      }
    }

    void flush() {
      scheduled = false;
      while (inFlight < IN_FLIGHT && !waiting.isEmpty()) {
        Waiting[] batch = new Waiting[Math.min(mostItems, waiting.size())];
        for (int i = 0; i < batch.length; i++) {
          batch[i] = waiting.remove();
        }
        send(batch);
      }
    }

    private void send(Waiting[] batch) {
      inFlight++;
      List<String> first = shared.keys().isEmpty() ? batch[0].item().keys() : shared.keys();
      lane.eval(
              script,
              first.getFirst(),
              (request, fence) -> {
                int keys = shared.keys().size() + (fence == null ? 0 : 1);
                for (Waiting one : batch) {
                  keys += one.item().keys().size();
                }
                request.arg(keys);
                addAll(request, shared.keys());
                for (Waiting one : batch) {
                  addAll(request, one.item().keys());
                }
                if (fence != null) {
                  request.arg(fence);
                }
                addAll(request, shared.args());
                for (Waiting one : batch) {
                  addAll(request, one.item().args());
                }
              })
          .onComplete(
              done -> {
                inFlight--;
                RedisReply reply = done.succeeded() ? done.result() : null;
                for (int i = 0; i < batch.length; i++) {
                  settle(batch[i].promise(), reply, i, done.cause());
                }
                flush();
                if (inFlight == 0 && waiting.isEmpty()) {
                  onEmpty.run();
                }
              });
    }

    private void settle(
        Promise<String> promise, @Nullable RedisReply reply, int index, @Nullable Throwable cause) {
      if (reply == null) {
        promise.fail(cause == null ? new RedisFailure("no reply") : cause);
        return;
      }
      String text = reply.textAt(index);
      if (text.startsWith("FAULT")) {
        promise.fail(new RedisFailure(script.name() + ": " + text));
      } else {
        promise.complete(text);
      }
    }
  }

  private static void addAll(Request request, List<String> texts) {
    for (String text : texts) {
      request.arg(text);
    }
  }
}
