package fairgate.sale;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// Sends Redis calls for many sales together. A sale whose call fails is left out of the next step;
/// the others continue.
final class SaleCalls {
  /// Number of sales whose calls are sent together. All of them are repeated when a step fails.
  static final int MOST = 250;

  private static final Duration BUDGET = Duration.ofSeconds(5);

  private @Nullable Throwable failure;

  /// Makes the call for each product, waits for all, and returns the replies of the successful
  /// ones.
  <I, T> Map<ProductId, T> each(
      Map<ProductId, I> products, BiFunction<ProductId, I, Future<T>> call) {
    Map<ProductId, Future<T>> calls = new LinkedHashMap<>();
    products.forEach((id, input) -> calls.put(id, call.apply(id, input)));
    try {
      Future.join(List.copyOf(calls.values()))
          .otherwiseEmpty()
          .await(BUDGET.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      failed(new ServiceUnavailable("redis is too slow", Duration.ofSeconds(1)));
    }
    Map<ProductId, T> answers = new LinkedHashMap<>();
    calls.forEach(
        (id, made) -> {
          if (made.succeeded()) {
            answers.put(id, made.result());
          } else if (made.failed()) {
            failed(made.cause());
          }
        });
    return answers;
  }

  private void failed(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  /// Throws the first failure, if there was one.
  void finish() {
    if (failure instanceof RuntimeException known) {
      throw known;
    }
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }
}
