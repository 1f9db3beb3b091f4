package fairgate.draw;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// Reads or repeatable calls under way, by key. Callers that ask at the same time share one read
/// and its failure, so none of them waits for more than one read of an engine that hangs. Nothing
/// is kept afterwards.
final class SharedReads<T> {
  private final Map<String, Future<T>> running = new ConcurrentHashMap<>();

  /// The result of the read under way for this key, else of the given one. Blocks; throws what the
  /// read throws.
  T get(String key, Supplier<T> read) {
    Promise<T> mine = Promise.promise();
    Future<T> other = running.putIfAbsent(key, mine.future());
    if (other != null) {
      return other.await();
    }
    try {
      T result = read.get();
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
