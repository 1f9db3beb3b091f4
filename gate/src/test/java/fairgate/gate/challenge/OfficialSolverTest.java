package fairgate.gate.challenge;

import static fairgate.gate.challenge.GateFixture.DEVICE;
import static fairgate.gate.challenge.GateFixture.SEVEN;
import static fairgate.gate.challenge.GateFixture.join;
import static fairgate.gate.challenge.GateFixture.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ChallengeResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Solutions that `solveChallenge` of altcha-lib 2.8.0, the protocol's own library, found for the
/// challenges this fixture hands out. The widget itself solves in `OfficialWidgetIT`.
class OfficialSolverTest {
  private static final AltchaConfig PBKDF2 =
      new AltchaConfig("PBKDF2/SHA-256", 50, "00", Duration.ofMinutes(10));
  private static final ChallengeProvider.Context KNOWN =
      ChallengeProvider.Context.join(SEVEN, "2001:db8::1", DEVICE);

  private final GateFixture gate = new GateFixture();
  private final Altcha sha = gate.altcha(AltchaConfig.defaults());
  private final Altcha pbkdf2 = gate.altcha(PBKDF2);
  private List<String> tokens = List.of();

  @BeforeEach
  void read() throws IOException {
    try (InputStream in =
        OfficialSolverTest.class.getResourceAsStream("/altcha/solved-by-altcha-lib-2.8.0.txt")) {
      tokens =
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .toList();
    }
  }

  @AfterEach
  void close() {
    sha.close();
    pbkdf2.close();
    gate.close();
  }

  private static String challenge(String token) {
    return Solver.open(token).get("challenge").toString();
  }

  @Test
  void solutionsOfTheOfficialSolverAreValid() {
    assertThat(sha.offer(join())).isEqualTo(challenge(tokens.get(0)));
    assertThat(pbkdf2.offer(KNOWN)).isEqualTo(challenge(tokens.get(1)));
    assertThat(verdict(sha.verify(tokens.get(0), join())))
        .isInstanceOf(ChallengeResult.Accepted.class);
    assertThat(verdict(pbkdf2.verify(tokens.get(1), KNOWN)))
        .isInstanceOf(ChallengeResult.Accepted.class);
  }

  @Test
  void solutionsAreInvalidForOtherPurposes() {
    assertThat(verdict(pbkdf2.verify(tokens.get(1), join())))
        .isEqualTo(new ChallengeResult.Rejected("made for something else"));
    gate.clock.advance(Duration.ofMinutes(10));
    assertThat(verdict(sha.verify(tokens.get(0), join())))
        .isEqualTo(new ChallengeResult.Rejected("expired"));
  }
}
