package fairgate.line;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One queue for each chat that has something waiting, each emptied in order by a virtual thread of
/// its own.
final class ChatQueues {
  private static final Logger LOG = LoggerFactory.getLogger(ChatQueues.class);

  private final int most;
  private final Map<String, Deque<Runnable>> chats = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean closed;

  /// @param most jobs that may wait, in all chats together
  ChatQueues(int most) {
    this.most = most;
  }

  /// Adds a job to the end of a chat's queue. False when too many wait, or the server stops.
  boolean offer(String chat, Runnable job) {
    if (closed || waiting.incrementAndGet() > most) {
      if (!closed) {
        waiting.decrementAndGet();
      }
      return false;
    }
    Deque<Runnable> _ =
        chats.compute(
            chat,
            (key, queue) -> {
              Deque<Runnable> all = queue == null ? new ArrayDeque<>() : queue;
              all.add(job);
              if (queue == null) {
                var _ = Thread.ofVirtual().name("line-chat").start(() -> empty(key));
              }
              return all;
            });
    return true;
  }

  /// Jobs that wait or run.
  int size() {
    return waiting.get();
  }

  /// Takes no more jobs; those that wait are dropped.
  void close() {
    closed = true;
  }

  private void empty(String chat) {
    for (Runnable job = next(chat); job != null; job = next(chat)) {
      try {
        if (!closed) {
          job.run();
        }
      } catch (RuntimeException e) {
        LOG.error("an event could not be worked on", e);
      } finally {
        waiting.decrementAndGet();
      }
    }
  }

  private @org.jspecify.annotations.Nullable Runnable next(String chat) {
    Runnable[] found = new Runnable[1];
    Deque<Runnable> _ =
        chats.computeIfPresent(
            chat,
            (_, queue) -> {
              found[0] = queue.poll();
              return found[0] == null ? null : queue;
            });
    return found[0];
  }
}
