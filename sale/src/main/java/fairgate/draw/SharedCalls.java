package fairgate.draw;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// Repeatable calls under way, by key. Callers that ask at the same time share one call and its
/// failure, so none of them waits for more than one call to an engine that hangs. Nothing is kept
/// afterwards.
final class SharedCalls<T> {
  private final Map<String, Future<T>> running = new ConcurrentHashMap<>();

  /// The result of the call under way for this key, else of the given one. Blocks; throws what the
  /// call throws.
  T get(String key, Supplier<T> call) {
    Promise<T> mine = Promise.promise();
    Future<T> other = running.putIfAbsent(key, mine.future());
    if (other != null) {
      return other.await();
    }
    try {
      T result = call.get();
      mine.complete(result);
      return result;
    } catch (RuntimeException | Error e) {
      mine.fail(e);
      throw e;
    } finally {
      running.remove(key);
    }
  }
}
