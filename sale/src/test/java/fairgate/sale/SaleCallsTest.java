package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SaleCallsTest {
  private static final Map<ProductId, Integer> PRODUCTS =
      new TreeMap<ProductId, Integer>(
          Map.of(new ProductId("1"), 10, new ProductId("2"), 20, new ProductId("3"), 30));

  private final SaleCalls calls = new SaleCalls();

  @Test
  void allCallsAreSentBeforeTheFirstAnswer() {
    Map<ProductId, Promise<String>> sent = new LinkedHashMap<>();
    Map<ProductId, String> answers =
        calls.each(
            PRODUCTS,
            (id, _) -> {
              Promise<String> answer = Promise.promise();
              sent.put(id, answer);
              if (sent.size() == PRODUCTS.size()) {
                sent.forEach((to, promise) -> promise.complete("to " + to));
              }
              return answer.future();
            });
    calls.finish();
    assertThat(answers.values()).containsExactly("to 1", "to 2", "to 3");
  }

  @Test
  void aFailureLeavesTheOthersTheirAnswersAndIsThrownAtTheEnd() {
    ServiceUnavailable away = new ServiceUnavailable("away", Duration.ZERO);
    Map<ProductId, String> answers =
        calls.each(
            PRODUCTS,
            (id, _) ->
                id.value().equals("2") ? Future.failedFuture(away) : Future.succeededFuture("x"));
    assertThat(answers.keySet()).extracting(ProductId::value).containsExactly("1", "3");
    assertThatThrownBy(calls::finish).isSameAs(away);
  }

  @Test
  void noCallsAreNoFailure() {
    assertThat(calls.each(Map.of(), (_, _) -> Future.succeededFuture("x"))).isEmpty();
    calls.finish();
  }
}
