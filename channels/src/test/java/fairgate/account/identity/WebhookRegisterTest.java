package fairgate.account.identity;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.AccountWorld;
import fairgate.account.identity.PersonRegister.NameCheck;
import fairgate.testkit.FakeRegister;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class WebhookRegisterTest {
  private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(5);

  private final FakeRegister register = FakeRegister.start(SECRET);
  private final WebhookRegister client = client(SECRET);

  private WebhookRegister client(String secret) {
    return WebhookRegister.at(
        register.url(), List.of(secret), AccountWorld.randomIds(), Clock.systemUTC());
  }

  @AfterEach
  void close() {
    client.close();
    register.close();
  }

  @Test
  void theRegisterDecides() {
    register.person("A123456789", "王小明");
    assertThat(client.checkName("王小明", "A123456789")).isEqualTo(NameCheck.MATCHES);
    assertThat(client.checkName("Anna", "A123456789")).isEqualTo(NameCheck.DIFFERS);
    assertThat(client.checkName("Anna", "B1")).isEqualTo(NameCheck.UNKNOWN);
  }

  @Test
  void anythingButAResultMeansUnknown() {
    register.person("A123456789", "Anna");
    for (String answer : List.of("matches", "{}", "{\"result\":true}", "{\"result\":\"yes\"}")) {
      register.broken(answer);
      assertThat(client.checkName("Anna", "A123456789")).as(answer).isEqualTo(NameCheck.UNKNOWN);
    }
    register.broken("");
    assertThat(client.checkName("Anna", "A123456789")).isEqualTo(NameCheck.MATCHES);
  }

  @Test
  void aCallWithAnotherSecretIsRefused() {
    register.person("A123456789", "Anna");
    try (WebhookRegister stranger = client(SECRET + "c2Vj")) {
      assertThat(stranger.checkName("Anna", "A123456789")).isEqualTo(NameCheck.UNKNOWN);
    }
  }

  @Test
  void aRegisterThatKeepsFailingIsLeftAlone() {
    register.broken("{}");
    for (int i = 0; i < 20; i++) {
      assertThat(client.checkName("Anna", "A1")).isEqualTo(NameCheck.UNKNOWN);
    }
    assertThat(register.calls()).isBetween(5, 8);
  }
}
