package fairgate.line;

import fairgate.platform.run.BlockingWork;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One job queue for each chat with pending events. A virtual thread per chat runs the jobs in
/// order.
final class ChatQueues {
  private static final Logger LOG = LoggerFactory.getLogger(ChatQueues.class);

  private final int max;
  private final Map<String, Deque<Runnable>> chats = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean closed;

  /// @param max pending jobs of all chats together
  ChatQueues(int max) {
    this.max = max;
  }

  /// Appends a job to the chat's queue. False when too many jobs are pending or the server is
  /// stopping.
  boolean offer(String chat, Runnable job) {
    if (closed || waiting.incrementAndGet() > max) {
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
                BlockingWork.start("line-chat", () -> empty(key));
              }
              return all;
            });
    return true;
  }

  int size() {
    return waiting.get();
  }

  /// Rejects further jobs and drops the pending ones.
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
        LOG.error("Processing of a LINE event failed", e);
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
