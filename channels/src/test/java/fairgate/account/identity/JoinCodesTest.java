package fairgate.account.identity;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.AccountWorld;
import fairgate.account.Budgets;
import fairgate.account.identity.IdentityService.SendCodeOutcome;
import fairgate.account.message.MessageConfig;
import fairgate.account.message.MessageFeature;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import fairgate.platform.observe.Metrics;
import fairgate.platform.text.Language;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeSmsGateway;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class JoinCodesTest {
  private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(5);
  private static final String PHONE = "+886912%06d".formatted(System.nanoTime() % 1_000_000);

  private final AccountWorld world = new AccountWorld();
  private final FakeSmsGateway gateway =
      FakeSmsGateway.start(0, SECRET, "AC1:token", world.clock());
  private final MessageFeature messages =
      MessageFeature.wire(
          new MessageConfig(
              new MessageConfig.Sender.Webhook(gateway.webhookUrl(), List.of(SECRET)),
              new MessageConfig.Sender.None(),
              new MessageConfig.Limits(1_000, Set.of())),
          new MessageFeature.Dependencies(
              world.database(),
              world.budgets(),
              world.keys(),
              world.ids(),
              world.clock(),
              new Metrics()));

  @AfterEach
  void close() {
    messages.close();
    gateway.close();
    world.close();
  }

  private String code(int number) {
    return Eventually.get("a code", gateway::delivered, all -> all.size() == number)
        .getLast()
        .text()
        .substring(0, 6);
  }

  private CodeSender.Parts parts(Budgets budgets) {
    return new CodeSender.Parts(budgets, world.keys(), world.ids(), world.clock());
  }

  @Test
  void aTelephoneLetsThreeBrowsersIntoASale() {
    messages.start();
    OneTimeCodes codes = new OneTimeCodes(world.redis(), world.keys(), new SecureRandom());
    CodeSender sender =
        new CodeSender(codes, messages.outbox(), messages.limits(), parts(Budgets.UNLIMITED));
    JoinCodes joins = new JoinCodes(sender, codes, parts(world.budgets()), messages);
    assertThat(joins.isWorking()).isTrue();
    assertThat(joins.contact("anna@example.com")).as("no mail is sent here").isEmpty();
    Contact phone = joins.contact(PHONE).orElseThrow();
    ClientAddress address = Objects.requireNonNull(ClientAddress.parse("203.0.113.77"));
    for (int browser = 1; browser <= 4; browser++) {
      DeviceId device = new DeviceId(world.ids().nonce());
      var joiner = new JoinCodes.Joiner(new ProductId("7"), device, address);
      assertThat(joins.send(joiner, phone, Language.EN)).isInstanceOf(SendCodeOutcome.Sent.class);
      String code = code(browser);
      assertThat(
              joins.confirm(new JoinCodes.Joiner(new ProductId("8"), device, address), phone, code))
          .as("another sale")
          .isEqualTo(new JoinCodes.Outcome.WrongCode());
      JoinCodes.Outcome outcome = joins.confirm(joiner, phone, code);
      if (browser <= 3) {
        assertThat(outcome).isEqualTo(new JoinCodes.Outcome.Right());
      } else {
        assertThat(outcome).isInstanceOf(JoinCodes.Outcome.TooMany.class);
      }
    }
  }
}
