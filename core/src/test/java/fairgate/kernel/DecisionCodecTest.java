package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DecisionCodecTest {
  private static final KeyRing KEYS = keys("a", 1);
  private static final DecisionCodec CODEC = new DecisionCodec(KEYS);
  private static final Decision LIMIT =
      new Decision(
          ErrorCode.RATE_LIMIT_EXCEEDED,
          1_795_000_000_000_001L,
          new ProductId("0007"),
          "join",
          "3/60",
          0,
          "",
          "abcdefgh",
          "ijklmnop");

  private static KeyRing keys(String current, int secret) {
    byte[] bytes = new byte[32];
    bytes[0] = (byte) secret;
    return new KeyRing(current, Map.of(current, bytes));
  }

  @Test
  void anIdHasTheWholeDecision() {
    assertThat(CODEC.decode(CODEC.encode(LIMIT))).contains(LIMIT);
    Decision ban =
        new Decision(
            ErrorCode.CLIENT_BANNED, 1_000, null, "", "", Long.MAX_VALUE, "r".repeat(22), "", "n");
    assertThat(CODEC.decode(CODEC.encode(ban))).contains(ban);
    assertThat(CODEC.encode(LIMIT)).hasSizeLessThan(128).matches("[A-Za-z0-9_-]+");
  }

  @Test
  void anIdIsReadWithoutTheKeys() {
    String id = CODEC.encode(LIMIT);
    assertThat(DecisionCodec.describe(id)).contains(LIMIT);
    assertThat(DecisionCodec.describe("4fXk0V1q2mC8sT7bY6nL9w")).isEmpty();
    Random random = new Random(7);
    for (int i = 0; i < 500; i++) {
      byte[] bytes = new byte[random.nextInt(150)];
      random.nextBytes(bytes);
      if (bytes.length > 1) {
        bytes[0] = 1;
        bytes[1] = 0;
      }
      String made = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      assertThat(DecisionCodec.describe(made)).as(made).isNotNull();
      assertThat(CODEC.decode(made)).isEmpty();
    }
  }

  @Test
  void everyCodeOfADecisionHasItsPlace() {
    Set<String> ids = new HashSet<>();
    for (ErrorCode code : Decision.CODES) {
      Decision decision = new Decision(code, 1_000, null, "", "", 0, "", "", "");
      assertThat(ids.add(CODEC.encode(decision))).isTrue();
      assertThat(CODEC.decode(CODEC.encode(decision))).contains(decision);
      assertThat(Decision.isAppealable(code)).isTrue();
    }
    assertThat(Decision.isAppealable(ErrorCode.SALE_CLOSED)).isFalse();
  }

  @Test
  void changedIdsAndThoseOfOtherServersAreUnknown() {
    String id = CODEC.encode(LIMIT);
    Random random = new Random(7);
    for (int i = 0; i < 500; i++) {
      char[] letters = id.toCharArray();
      int at = random.nextInt(letters.length);
      letters[at] = letters[at] == 'A' ? 'B' : 'A';
      assertThat(CODEC.decode(new String(letters))).isEmpty();
      assertThat(CODEC.decode(id.substring(0, random.nextInt(id.length())))).isEmpty();
    }
    assertThat(CODEC.decode("")).isEmpty();
    assertThat(CODEC.decode("!")).isEmpty();
    assertThat(CODEC.decode("A".repeat(10_000))).isEmpty();
    assertThat(new DecisionCodec(keys("a", 2)).decode(id)).isEmpty();
  }

  @Test
  void anIdStaysValidAfterAKeyChange() {
    byte[] old = new byte[32];
    old[0] = 1;
    byte[] young = new byte[32];
    young[0] = 9;
    KeyRing both = new KeyRing("b", Map.of("a", old, "b", young));
    assertThat(new DecisionCodec(both).decode(CODEC.encode(LIMIT))).contains(LIMIT);
  }
}
