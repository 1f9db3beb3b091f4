package fairgate.sale.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.testkit.Eventually;
import fairgate.testkit.WebhookReceiver.Behavior;
import fairgate.testkit.WebhookReceiver.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
class WebhookSenderTest {
  private static final String OTHER = "whsec_QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB";

  private final WebhookWorld world = new WebhookWorld();

  @AfterEach
  void close() {
    world.close();
  }

  /// Passes until no message is due any more; they are due again after a millisecond.
  private void passAll(WebhookSender sender) {
    Eventually.await(
        "no message is due",
        () -> {
          if (world.count("due") > 0) {
            assertThat(sender.pass()).isNotNegative();
          }
          return world.count("due") == 0;
        });
  }

  @Test
  void aMessageIsSignedAndSentOnce() {
    world.list(3);
    try (WebhookSender sender = world.sender()) {
      assertThat(sender.pass()).isEqualTo(3);
      assertThat(sender.pass()).isZero();
    }
    assertThat(world.receiver.messages())
        .allMatch(Message::genuine)
        .extracting(Message::id)
        .containsExactlyInAnyOrder("evt_7_1_1", "evt_7_1_2", "evt_7_1_3");
    assertThat(world.receiver.messages().getFirst().type()).isEqualTo("order.reserved");
    assertThat(world.count("done")).isEqualTo(3);
    assertThat(world.metrics.scrape())
        .contains("fairgate_webhooks_total{outcome=\"delivered\"} 3.0");
  }

  @Test
  void whatIsNotTakenIsSentAgainUnderTheSameIdAndBody() {
    world.list(1);
    world.receiver.mood(Behavior.BROKEN);
    try (WebhookSender sender = world.sender()) {
      assertThat(sender.pass()).isEqualTo(1);
      assertThat(world.count("due")).isEqualTo(1);
      world.receiver.mood(Behavior.WELL);
      passAll(sender);
    }
    assertThat(world.receiver.messages()).hasSize(2);
    assertThat(world.receiver.messages().stream().map(Message::id).distinct()).hasSize(1);
    assertThat(world.receiver.messages().stream().map(Message::body).distinct()).hasSize(1);
    assertThat(world.count("done")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Behavior.class,
      names = {"BROKEN", "ELSEWHERE"})
  void afterTheLastRepeatItIsGivenUp(Behavior mood) {
    world.list(1);
    world.receiver.mood(mood);
    try (WebhookSender sender = world.sender()) {
      passAll(sender);
    }
    assertThat(world.receiver.messages()).hasSize(4);
    assertThat(world.count("failed")).isEqualTo(1);
  }

  @Test
  void whoWantsNoMoreGetsNoMore() {
    world.list(1);
    world.receiver.mood(Behavior.GONE);
    try (WebhookSender sender = world.sender()) {
      passAll(sender);
    }
    assertThat(world.receiver.messages()).hasSize(1);
    assertThat(world.count("failed")).isEqualTo(1);
  }

  @Test
  void aReceiverMayAskForTime() {
    world.list(1);
    world.receiver.mood(Behavior.BUSY);
    try (WebhookSender sender = world.sender()) {
      assertThat(sender.pass()).isEqualTo(1);
    }
    long minutes =
        world
            .books
            .database()
            .query(
                "SELECT extract(epoch FROM next_try_at - now())::int / 60 AS m"
                    + " FROM webhook_deliveries")
            .await()
            .getFirst()
            .getInteger("m");
    assertThat(minutes).isBetween(58L, 60L);
  }

  @Test
  void aReceiverThatSaysNothingHoldsNobodyUpForLong() {
    world.list(2);
    world.receiver.mood(Behavior.ASLEEP);
    try (WebhookSender sender = world.sender(Duration.ofMillis(200))) {
      assertThat(sender.pass()).isEqualTo(2);
    }
    assertThat(world.count("due")).isEqualTo(2);
  }

  @Test
  void aSecretIsReplacedWithoutAGap() {
    world.list(1);
    try (WebhookSender both = world.sender(WebhookWorld.LIMIT, OTHER, WebhookWorld.SECRET)) {
      assertThat(both.pass()).isEqualTo(1);
    }
    assertThat(world.receiver.messages()).singleElement().matches(Message::genuine);
    assertThat(world.count("done")).isEqualTo(1);
  }

  @Test
  void aWrongSecretIsSeenByTheReceiver() {
    world.list(1);
    try (WebhookSender wrong = world.sender(WebhookWorld.LIMIT, OTHER)) {
      assertThat(wrong.pass()).isEqualTo(1);
    }
    assertThat(world.receiver.messages()).singleElement().matches(message -> !message.genuine());
    assertThat(world.count("due")).isEqualTo(1);
  }

  @Test
  void twoNodesDoNotSendTheSame() throws InterruptedException {
    world.list(200);
    CountDownLatch go = new CountDownLatch(1);
    try (WebhookSender one = world.sender();
        WebhookSender two = world.sender()) {
      Thread[] nodes = new Thread[2];
      for (int i = 0; i < 2; i++) {
        WebhookSender sender = i == 0 ? one : two;
        nodes[i] =
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        go.await();
                      } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                      }
                      while (sender.pass() > 0) {
                        Thread.onSpinWait();
                      }
                    });
      }
      go.countDown();
      for (Thread node : nodes) {
        node.join();
      }
    }
    assertThat(world.receiver.messages()).hasSize(200);
    assertThat(world.receiver.messages().stream().map(Message::id).distinct()).hasSize(200);
  }

  @Test
  void whatEndedIsForgottenInTheEnd() {
    world.list(2);
    try (WebhookSender sender = world.sender()) {
      assertThat(sender.pass()).isEqualTo(2);
    }
    assertThat(world.deliveries.forget(Duration.ofDays(1))).isZero();
    assertThat(world.deliveries.waiting()).isZero();
    assertThat(world.deliveries.forget(Duration.ofSeconds(-1))).isEqualTo(2);
  }

  @Test
  void settingsWithoutASecretAreRefused() {
    assertThat(WebhookConfig.to("https://x", List.of()).problems()).hasSize(1);
    assertThat(WebhookConfig.to("https://x", List.of("secret")).problems()).hasSize(1);
    assertThat(WebhookConfig.to("", List.of()).problems()).isEmpty();
    WebhookConfig good = WebhookConfig.to("https://x", List.of(OTHER));
    assertThat(good.problems()).isEmpty();
    assertThat(good.toString()).doesNotContain(OTHER);
  }
}
