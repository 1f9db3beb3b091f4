package fairgate.account.message;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.AccountWorld;
import fairgate.account.Budgets;
import fairgate.account.message.MessageOutbox.Acceptance;
import fairgate.account.message.MessageOutbox.NewMessage;
import fairgate.account.message.MessageOutbox.NewMessage.Charge;
import fairgate.account.message.OutgoingMessage.Purpose;
import fairgate.kernel.KeySeal;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.LocalBudgets.Budget;
import fairgate.platform.text.Language;
import fairgate.testkit.FakeSmsGateway;
import fairgate.testkit.FakeSmsGateway.Behavior;
import fairgate.testkit.FakeSmsGateway.Sms;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The outbox and its workers, on a real PostgreSQL and a gateway on a socket. Times are moved in
/// the table.
@Tag("slow")
final class MessageOutboxTest {
  private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(5);
  private static final Budget THREE = new Budget("test", 3, Duration.ofHours(1));

  @SuppressWarnings("NullAway.Init")
  private static AccountWorld world;

  private final Budgets budgets = world.budgets();
  private final MessageOutbox outbox = outbox(100);
  private FakeSmsGateway gateway = gateway(0);
  private final MessageWorker worker = worker(gateway.webhookUrl());

  @BeforeAll
  static void open() {
    world = new AccountWorld();
  }

  @AfterAll
  static void closeWorld() {
    world.close();
  }

  @BeforeEach
  void empty() {
    sql("DELETE FROM code_messages");
  }

  @AfterEach
  void close() {
    worker.close();
    gateway.close();
  }

  private static FakeSmsGateway gateway(int port) {
    return FakeSmsGateway.start(port, SECRET, "AC1:token", world.clock());
  }

  private MessageOutbox outbox(int max) {
    return new MessageOutbox(
        new PostgresMessages(world.database()),
        new KeySeal(world.keys(), world.ids(), "test"),
        budgets,
        max);
  }

  private MessageWorker worker(String url) {
    return new MessageWorker(
        Channel.SMS,
        MessageFeature.sender(
            new MessageConfig.Sender.Webhook(url, List.of(SECRET)), world.clock()),
        outbox,
        MessageWorker.Meters.of(new Metrics()).of(Channel.SMS));
  }

  private static void sql(String statement) {
    var _ = world.database().query(statement).await();
  }

  /// Lets every wait and lease pass.
  private static void due() {
    sql("UPDATE code_messages SET next_try_at = now()");
  }

  private static List<String> rows() {
    return world.database().query("SELECT m::text AS t FROM code_messages m").await().stream()
        .map(row -> row.getString("t"))
        .toList();
  }

  private static String id() {
    return "msg_" + UUID.randomUUID();
  }

  private static NewMessage message(String id, String to, List<Charge> charges) {
    return new NewMessage(
        id, Channel.SMS, "s" + id, to, Purpose.VERIFICATION, "042137", Language.EN, charges);
  }

  private Acceptance accept(String to) {
    return outbox.accept(message(id(), to, List.of()));
  }

  @Test
  void aMessageIsSentOnceAndLeavesTheOutbox() {
    assertThat(accept("+886912345678")).isEqualTo(Acceptance.STORED);
    assertThat(worker.pass()).isEqualTo(1);
    assertThat(worker.pass()).isZero();
    assertThat(gateway.calls()).singleElement().matches(FakeSmsGateway.Call::genuine);
    assertThat(gateway.delivered())
        .singleElement()
        .satisfies(sms -> assertThat(sms.text()).startsWith("042137 "));
    assertThat(rows()).isEmpty();
  }

  @Test
  void recipientAndCodeAreEncryptedInTheTable() {
    var _ = accept("+886912345678");
    assertThat(rows()).singleElement().asString().doesNotContain("912345678", "042137");
  }

  @Test
  void manyNodesSendEachMessageOnce() {
    IntStream.range(0, 60).forEach(i -> assertThat(accept("+8869000000" + i)).isNotNull());
    List<MessageWorker> nodes =
        IntStream.range(0, 4).mapToObj(_ -> worker(gateway.webhookUrl())).toList();
    BlockingWork.forEach(
        "node",
        nodes,
        node -> {
          while (node.pass() > 0) {
            assertThat(gateway.calls()).isNotEmpty();
          }
        });
    nodes.forEach(MessageWorker::close);
    assertThat(gateway.calls()).hasSize(60);
    assertThat(gateway.delivered()).doesNotHaveDuplicates().hasSize(60);
  }

  @Test
  void aMessageOfANodeThatCrashedIsSentByAnother() {
    var _ = accept("+886912345678");
    assertThat(outbox.take(Channel.SMS, 1)).hasSize(1);
    assertThat(worker.pass()).as("while the lease of the crashed node lasts").isZero();
    due();
    assertThat(worker.pass()).isEqualTo(1);
    assertThat(gateway.delivered()).hasSize(1);
  }

  @Test
  void aRepeatAfterALostReplyIsDeliveredOnce() {
    var _ = accept("+886912345678");
    gateway.mood(Behavior.FORGETFUL);
    assertThat(worker.pass()).isEqualTo(1);
    gateway.mood(Behavior.WELL);
    due();
    assertThat(worker.pass()).isEqualTo(1);
    assertThat(gateway.calls())
        .hasSize(2)
        .extracting(FakeSmsGateway.Call::id)
        .containsOnly(gateway.calls().getFirst().id());
    assertThat(gateway.delivered()).hasSize(1);
    assertThat(rows()).isEmpty();
  }

  @Test
  void messagesWaitForAGatewayThatIsAway() {
    int port = gateway.port();
    gateway.close();
    assertThat(accept("+886912345678")).isEqualTo(Acceptance.STORED);
    assertThat(worker.pass()).isEqualTo(1);
    assertThat(accept("+886912345679")).as("said to the next person").isEqualTo(Acceptance.LATE);
    gateway = gateway(port);
    due();
    assertThat(worker.pass()).isEqualTo(2);
    assertThat(gateway.delivered()).hasSize(2);
    assertThat(accept("+886912345670")).isEqualTo(Acceptance.STORED);
  }

  @Test
  void aGatewayThatHangsDoesNotHoldAMessage() {
    var _ = accept("+886912345678");
    gateway.mood(Behavior.ASLEEP);
    assertThat(worker.pass()).isEqualTo(1);
    gateway.mood(Behavior.WELL);
    due();
    assertThat(worker.pass()).isEqualTo(1);
    assertThat(gateway.delivered()).hasSize(1);
  }

  @Test
  void aGatewayThatKeepsFailingIsTestedWithSingleMessages() {
    IntStream.range(0, 8).forEach(i -> assertThat(accept("+88690000000" + i)).isNotNull());
    gateway.mood(Behavior.BROKEN);
    assertThat(worker.pass()).isEqualTo(8);
    due();
    assertThat(worker.pass()).isLessThanOrEqualTo(1);
    assertThat(gateway.calls()).hasSizeLessThanOrEqualTo(9);
  }

  @Test
  void aMessageThatTheGatewayRefusesIsNotRepeated() {
    var _ = accept("+886912345678");
    gateway.mood(Behavior.REFUSING);
    assertThat(worker.pass()).isEqualTo(1);
    assertThat(rows()).isEmpty();
  }

  private String charged(String who) {
    String id = id();
    assertThat(budgets.spend(THREE, who, id).await()).isZero();
    assertThat(outbox.accept(message(id, "+886912345678", List.of(new Charge("test", who)))))
        .isNotEqualTo(Acceptance.FULL);
    return id;
  }

  private static long spent(String who) {
    return world.redis().send("ZCARD", "rl:test:" + who).await().number();
  }

  @Test
  void whatWasNotSentIsGivenBackWhenItExpires() {
    String who = id();
    String _ = charged(who);
    gateway.mood(Behavior.BROKEN);
    assertThat(worker.pass()).isEqualTo(1);
    sql("UPDATE code_messages SET expires_at = now()");
    due();
    assertThat(worker.pass()).as("too late to be sent").isZero();
    assertThat(spent(who)).isEqualTo(1);
    assertThat(outbox.expire()).isEqualTo(1);
    assertThat(spent(who)).isZero();
    assertThat(rows()).isEmpty();
  }

  @Test
  void whatMayHaveBeenSentIsNotGivenBack() {
    String who = id();
    String _ = charged(who);
    gateway.mood(Behavior.FORGETFUL);
    assertThat(worker.pass()).isEqualTo(1);
    gateway.mood(Behavior.BROKEN);
    due();
    assertThat(worker.pass()).isEqualTo(1);
    sql("UPDATE code_messages SET expires_at = now()");
    assertThat(outbox.expire()).isEqualTo(1);
    assertThat(spent(who)).isEqualTo(1);
  }

  @Test
  void aNewMessageReplacesTheOneThatWaits() {
    String who = id();
    String first = charged(who);
    NewMessage second =
        new NewMessage(
            id(),
            Channel.SMS,
            "s" + first,
            "+886912345678",
            Purpose.VERIFICATION,
            "999999",
            Language.EN,
            List.of());
    assertThat(outbox.accept(second)).isEqualTo(Acceptance.STORED);
    assertThat(spent(who)).isZero();
    assertThat(worker.pass()).isEqualTo(1);
    assertThat(gateway.delivered())
        .singleElement()
        .satisfies(sms -> assertThat(sms.text()).startsWith("999999 "));
  }

  @Test
  void aFullOutboxStoresNothing() {
    MessageOutbox small = outbox(2);
    for (int i = 0; i < 2; i++) {
      assertThat(small.accept(message(id(), "+886912345678", List.of())))
          .isEqualTo(Acceptance.STORED);
    }
    assertThat(small.accept(message(id(), "+886912345678", List.of()))).isEqualTo(Acceptance.FULL);
    assertThat(rows()).hasSize(2);
  }

  @Test
  void aDecoyIsStoredAndNeverSent() {
    assertThat(accept("")).isEqualTo(Acceptance.STORED);
    assertThat(rows()).hasSize(1);
    assertThat(worker.pass()).isEqualTo(1);
    assertThat(rows()).isEmpty();
    assertThat(gateway.calls()).isEmpty();
  }

  private MessageSender.Result twilio(String token, String from, String to) {
    try (MessageSender sender =
        MessageFeature.sender(
            new MessageConfig.Sender.Twilio(gateway.url() + "/", "AC1", token, from),
            world.clock())) {
      return sender.send(text(to, Language.ZH_HANT, Purpose.VERIFICATION));
    }
  }

  private static OutgoingMessage text(String to, Language language, Purpose purpose) {
    return new OutgoingMessage(
        id(),
        Channel.SMS,
        to,
        new OutgoingMessage.Content.Code(purpose, "042137"),
        language,
        world.clock().instant(),
        world.clock().instant());
  }

  @Test
  void twiliosApiIsSpoken() {
    assertThat(twilio("token", "+15550006789", "+886912345678"))
        .isEqualTo(new MessageSender.Result.Sent());
    assertThat(twilio("token", "MG0123", "+886912345678"))
        .isEqualTo(new MessageSender.Result.Sent());
    assertThat(gateway.delivered()).extracting(Sms::from).containsExactly("+15550006789", "MG0123");
    assertThat(gateway.delivered().getFirst().text()).contains("042137").contains("您的驗證碼");
    assertThat(twilio("wrong", "+15550006789", "+886912345678"))
        .isInstanceOf(MessageSender.Result.NotSent.class);
    gateway.mood(Behavior.REFUSING);
    assertThat(twilio("token", "+15550006789", "+886912345678"))
        .isInstanceOf(MessageSender.Result.Refused.class);
  }

  @Test
  void aGatewayWithAnotherSecretRefusesMessages() {
    try (MessageSender sender =
        MessageFeature.sender(
            new MessageConfig.Sender.Webhook(gateway.webhookUrl(), List.of(SECRET + "c2Vj")),
            world.clock())) {
      assertThat(sender.send(text("+886912345678", Language.EN, Purpose.VERIFICATION)))
          .isInstanceOf(MessageSender.Result.NotSent.class);
    }
    assertThat(gateway.delivered()).isEmpty();
  }

  @Test
  void aRefusedConnectionIsCertainlyNotAMessageSent() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    try (MessageSender sender =
        MessageFeature.sender(
            new MessageConfig.Sender.Webhook("http://127.0.0.1:" + port + "/", List.of(SECRET)),
            world.clock())) {
      assertThat(sender.send(text("+886912345678", Language.EN, Purpose.VERIFICATION)))
          .isInstanceOf(MessageSender.Result.NotSent.class);
    }
  }

  @Test
  void everyTextFitsIntoOneSms() {
    for (Language language : Language.values()) {
      for (Purpose purpose : Purpose.values()) {
        OutgoingMessage message = text("+886912345678", language, purpose);
        assertThat(message.text())
            .as(language + " " + purpose)
            .contains("042137")
            .hasSizeLessThanOrEqualTo(language == Language.EN ? 160 : 70);
        assertThat(message.subject()).doesNotContain("042137");
        assertThat(message.toString()).doesNotContain("042137", "912345678");
      }
    }
  }
}
