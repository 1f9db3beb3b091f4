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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Micro-batching: many waiting calls of one script for one slot become one EVALSHA.
///
/// Everything that gathers during a tick of the event loop, or while an earlier batch is under way,
/// goes together, so the batch grows with the load and an idle server adds no wait; half of what a
/// run takes goes at once, so that Redis works while the loop reads on. A batch is one script run:
/// its items see one time and no other script in between, and it is one block in the append-only
/// file. An item's reply is a text; a text that starts with `FAULT` fails that item alone.
public final class ScriptBatcher {
  /// A second batch goes only where it gains nothing by waiting for the first, because that is a
  /// short one or this is full: what a run costs by itself is then shared by more.
  private static final int IN_FLIGHT = 2;

  /// Fewer items than this under way are over before many more have gathered.
  private static final int SHORT = 8;

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
  ///
  /// @param drawn gives one more argument, behind the others, anew for each run
  public record Shared(
      String slot, List<String> keys, List<String> args, @Nullable Supplier<String> drawn) {
    public Shared(String slot, List<String> keys, List<String> args) {
      this(slot, keys, args, null);
    }
  }

  /// One call among many: its own keys and arguments, of a number that is fixed for the script.
  public record Item(List<String> keys, List<String> args) {}

  /// Makes something of an item's text.
  @FunctionalInterface
  public interface Reader<T> {
    /// What the caller gets.
    ///
    /// @param rest what stands behind the texts of all items
    T read(String text, Rest rest);
  }

  /// What a run says once for all of its items, in one text behind theirs. Used on one thread.
  public static final class Rest {
    private final RedisReply reply;
    private final int index;
    private @Nullable Object parsed;

    private Rest(RedisReply reply, int index) {
      this.reply = reply;
      this.index = index;
    }

    /// What was made of it; the first item that asks has it made, so all have to ask for the same.
    @SuppressWarnings("unchecked") // Of one script's only reader.
    public <R> R parsed(Function<String, R> parse) {
      if (parsed == null) {
        parsed = parse.apply(reply.textAt(index));
      }
      return (R) parsed;
    }
  }

  /// Adds the call to the next batch. The future completes with the item's reply on the caller's
  /// loop.
  public Future<String> call(Shared shared, Item item) {
    return call(shared, item, (text, _) -> text);
  }

  /// The same, with what is made of the reply.
  public <T> Future<T> call(Shared shared, Item item, Reader<T> reader) {
    Lane lane = client.lane();
    Waiting<T> waiting = new Waiting<>(item, Promise.promise(), reader);
    if (lane.atHome()) {
      queue(lane, shared, item).add(waiting);
    } else {
      lane.home().runOnContext(_ -> queue(lane, shared, item).add(waiting));
    }
    return waiting.promise().future();
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

  private record Waiting<T>(Item item, Promise<T> promise, Reader<T> reader) {
    void settle(String text, Rest rest) {
      T read;
      try {
        read = reader.read(text, rest);
      } catch (RuntimeException e) {
        promise.fail(e);
        return;
      }
      promise.complete(read);
    }
  }

  /// The calls waiting on one loop for one slot. Touched on that loop only.
  private final class Queue {
    private final Lane lane;
    private final Shared shared;
    private final Runnable onEmpty;
    private final ArrayDeque<Waiting<?>> waiting = new ArrayDeque<>();
    private int inFlight;
    private int itemsInFlight;
    private boolean scheduled;

    /// @param onEmpty run when nothing waits and nothing is under way any more
    Queue(Lane lane, Shared shared, Runnable onEmpty) {
      this.lane = lane;
      this.shared = shared;
      this.onEmpty = onEmpty;
    }

    void add(Waiting<?> one) {
      if (waiting.size() >= MOST_WAITING) {
        one.promise()
            .fail(new ServiceUnavailable(script.name() + " has too many waiting", RETRY_AFTER));
        return;
      }
      waiting.add(one);
      if (waiting.size() * 2 >= mostItems && mayGo()) {
        flush();
      } else if (!scheduled && mayGo()) {
        scheduled = true;
        // Runs after the handlers of this tick, which may add more.
        lane.home().runOnContext(_ -> flush());
      }
    }

    private boolean mayGo() {
      return inFlight == 0
          || (inFlight < IN_FLIGHT && (itemsInFlight < SHORT || waiting.size() >= mostItems));
    }

    void flush() {
      scheduled = false;
      while (!waiting.isEmpty() && mayGo()) {
        int size = Math.min(mostItems, waiting.size());
        List<Waiting<?>> batch = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
          batch.add(waiting.remove());
        }
        send(batch);
      }
    }

    private void send(List<Waiting<?>> batch) {
      inFlight++;
      itemsInFlight += batch.size();
      List<String> first = shared.keys().isEmpty() ? batch.getFirst().item().keys() : shared.keys();
      lane.eval(
              script,
              first.getFirst(),
              (request, fence) -> {
                int keys = shared.keys().size() + (fence == null ? 0 : 1);
                for (Waiting<?> one : batch) {
                  keys += one.item().keys().size();
                }
                request.arg(keys);
                addAll(request, shared.keys());
                for (Waiting<?> one : batch) {
                  addAll(request, one.item().keys());
                }
                if (fence != null) {
                  request.arg(fence);
                }
                addAll(request, shared.args());
                if (shared.drawn() != null) {
                  request.arg(shared.drawn().get());
                }
                for (Waiting<?> one : batch) {
                  addAll(request, one.item().args());
                }
              })
          .onComplete(
              done -> {
                inFlight--;
                itemsInFlight -= batch.size();
                settle(batch, done.succeeded() ? done.result() : null, done.cause());
                flush();
                if (inFlight == 0 && waiting.isEmpty()) {
                  onEmpty.run();
                }
              });
    }

    private void settle(
        List<Waiting<?>> batch, @Nullable RedisReply reply, @Nullable Throwable cause) {
      if (reply == null) {
        Throwable why = cause == null ? new RedisFailure("no reply") : cause;
        batch.forEach(one -> one.promise().fail(why));
        return;
      }
      Rest rest = new Rest(reply, batch.size());
      for (int i = 0; i < batch.size(); i++) {
        String text = reply.textAt(i);
        if (text.startsWith("FAULT")) {
          batch.get(i).promise().fail(new RedisFailure(script.name() + ": " + text));
        } else {
          batch.get(i).settle(text, rest);
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
