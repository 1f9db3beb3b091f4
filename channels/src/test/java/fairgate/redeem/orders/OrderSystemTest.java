package fairgate.redeem.orders;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.observe.Metrics;
import fairgate.redeem.orders.OrderSources.OrderLookup;
import fairgate.redeem.orders.OrderSources.OrderLookup.Found;
import fairgate.redeem.orders.OrderSources.OrderLookup.Unavailable;
import fairgate.redeem.orders.OrderSources.OrderLookup.Unknown;
import fairgate.redeem.orders.OrderSources.OrderLookup.Unreadable;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeOrderSystem;
import fairgate.testkit.FakeOrderSystem.Fault;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class OrderSystemTest {
  private static final Duration REST = Duration.ofSeconds(10);
  private static final ZoneId TAIPEI = ZoneId.of("Asia/Taipei");

  private final FakeOrderSystem fake = FakeOrderSystem.start();
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-08T10:00:00Z"));
  private OrderSystem system = connect(fake.url(), FakeOrderSystem.TOKEN, 30_000);

  private OrderSystem connect(String url, String token, int timeLimitMs) {
    return OrderSystem.at(
        new OrderSystem.Config(url, token, Duration.ofMillis(timeLimitMs), 3, REST, TAIPEI),
        OrderNumberFormats.of(OrderNumberFormats.DEFAULT),
        now::get,
        new Metrics());
  }

  @AfterEach
  void close() {
    system.close();
    fake.close();
  }

  @Test
  void anOrderIsFound() {
    fake.put(
        "TB20260108123456789",
        """
        {"order_id": "TB20260108123456789", "product_id": "basic", "status": "paid",
         "platform": "taobao", "expires_at": "2026-02-01T00:00:00+08:00"}
        """);
    assertThat(system.find("TB20260108123456789"))
        .isEqualTo(
            new Found(
                new KnownOrder(
                    "taobao",
                    "TB20260108123456789",
                    "basic",
                    KnownOrder.State.PAID,
                    Instant.parse("2026-01-31T16:00:00Z"))));
  }

  @Test
  void onlyTheOrderSystemSaysOnWhichPlatformAnOrderIs() {
    fake.putPaid("A1234567", "basic");
    fake.put("B1234567", "{\"product_id\": 7, \"status\": \"paid\", \"platform\": \"fairgate\"}");
    assertThat(((Found) system.find("A1234567")).order().platform()).isEqualTo("remote");
    assertThat(((Found) system.find("B1234567")).order())
        .isEqualTo(new KnownOrder("remote", "B1234567", "7", KnownOrder.State.PAID, null));
  }

  @Test
  void whatIsNotPaidIsNot() {
    fake.put("A1", "{\"product_id\": \"basic\", \"status\": \"pending\"}");
    fake.put("A2", "{\"product_id\": \"basic\", \"status\": \"refunded\"}");
    fake.put("A3", "{\"status\": \"shipped to the moon\"}");
    assertThat(((Found) system.find("A1")).order().state()).isEqualTo(KnownOrder.State.UNPAID);
    assertThat(((Found) system.find("A2")).order().state()).isEqualTo(KnownOrder.State.REVOKED);
    assertThat(((Found) system.find("A3")).order().state()).isEqualTo(KnownOrder.State.UNPAID);
  }

  @Test
  void onlyA404MeansThatThereIsNone() {
    assertThat(system.find("A0000000")).isEqualTo(new Unknown());
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void troubleIsNoAnswer(Fault trouble) {
    system.close();
    system = connect(fake.url(), FakeOrderSystem.TOKEN, 300);
    fake.putPaid("A1234567", "basic");
    fake.always(trouble);
    assertThat(system.find("A1234567")).isInstanceOf(Unavailable.class);
    fake.always(null);
    Eventually.await(
        "an answer again",
        () -> {
          // Late answers of a busy machine suspend further calls.
          now.set(now.get().plus(REST));
          return system.find("A1234567") instanceof Found;
        });
  }

  @Test
  void aWrongTokenIsNoAnswerEither() {
    system.close();
    system = connect(fake.url(), "wrong", 30_000);
    assertThat(system.find("A0000000")).isInstanceOf(Unavailable.class);
  }

  @Test
  void itsOwnWordOnWhenToComeBackCounts() {
    fake.always(Fault.STATUS_429);
    assertThat(((Unavailable) system.find("A1234567")).retryAfter())
        .isEqualTo(Duration.ofSeconds(7));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"product_id\": \"basic\", \"status\": \"paid\", \"order_id\": \"other\"}",
        "{\"product_id\": \"basic\", \"status\": \"paid\", \"expires_at\": \"01/02/2026\"}",
        "{\"product_id\": \"basic\", \"status\": \"paid\", \"expires_at\": 7}",
        "{\"status\": \"paid\"}"
      })
  void whatIsNoOrderConcernsThisOrderOnly(String body) {
    fake.put("A1234567", body);
    fake.putPaid("B1234567", "basic");
    for (int i = 0; i < 5; i++) {
      assertThat(system.find("A1234567")).isInstanceOf(Unreadable.class);
    }
    assertThat(system.find("B1234567")).isInstanceOf(Found.class);
  }

  @Test
  void whatIsNoJsonIsNoAnswer() {
    fake.put("A1234567", "[]");
    assertThat(system.find("A1234567")).isInstanceOf(Unavailable.class);
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-15T23:59:59, 2026-01-15T15:59:59Z",
    "2026-01-15 23:59:59, 2026-01-15T15:59:59Z",
    "2026-01-15T23:59, 2026-01-15T15:59:00Z",
    "2026-01-15, 2026-01-15T16:00:00Z",
    "2026-01-15T23:59:59Z, 2026-01-15T23:59:59Z",
    "2026-01-15T23:59:59-05:00, 2026-01-16T04:59:59Z"
  })
  void aTimeWithoutAnOffsetIsLocal(String text, Instant expiry) {
    fake.put(
        "A1234567",
        "{\"product_id\": \"basic\", \"status\": \"paid\", \"expires_at\": \"" + text + "\"}");
    assertThat(((Found) system.find("A1234567")).order().expiresAt()).isEqualTo(expiry);
  }

  @Test
  void numbersCannotLeadElsewhere() {
    fake.putPaid("../../admin?x=1#y/z", "basic");
    assertThat(system.find("../../admin?x=1#y/z")).isInstanceOf(Found.class);
    assertThat(fake.calls()).containsExactly("/api/orders/..%2F..%2Fadmin%3Fx%3D1%23y%2Fz");
  }

  @Test
  void afterFailuresInARowItIsLeftAloneThenOneCallGoesAndLooks() {
    fake.putPaid("A1234567", "basic");
    fake.always(Fault.STATUS_500);
    for (int i = 0; i < 5; i++) {
      assertThat(system.find("A1234567")).isInstanceOf(Unavailable.class);
    }
    assertThat(fake.calls()).hasSize(3);
    now.set(now.get().plus(REST));
    assertThat(system.find("A1234567")).isInstanceOf(Unavailable.class);
    assertThat(system.find("A1234567")).isInstanceOf(Unavailable.class);
    assertThat(fake.calls()).hasSize(4);
    fake.always(null);
    assertThat(system.find("A1234567")).isInstanceOf(Unavailable.class);
    now.set(now.get().plus(REST));
    assertThat(system.find("A1234567")).isInstanceOf(Found.class);
    assertThat(system.find("A0000000")).isEqualTo(new Unknown());
    assertThat(fake.calls()).hasSize(6);
  }

  @Test
  void nobodyThereIsNoAnswer() {
    FakeOrderSystem gone = FakeOrderSystem.start();
    String url = gone.url();
    gone.close();
    system.close();
    system = connect(url, FakeOrderSystem.TOKEN, 30_000);
    assertThat(system.find("A1234567")).isInstanceOf(Unavailable.class);
  }

  @Test
  void callersOfTheSameNumberShareACall() throws Exception {
    fake.putPaid("A1234567", "basic");
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<OrderLookup>> answers = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        answers.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    go.await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  return system.find("A1234567");
                },
                threads));
      }
      go.countDown();
      for (CompletableFuture<OrderLookup> answer : answers) {
        assertThat(answer.get()).isInstanceOf(Found.class);
      }
    }
    assertThat(fake.calls().size()).isLessThan(200);
  }
}
