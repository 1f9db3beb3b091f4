package fairgate.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.KeyRing;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The start of a node whose keys differ from those known to the database.
final class MasterKeysTest {
  private final FreshDatabase books = new FreshDatabase(TestEngines.shared());

  @AfterEach
  void close() {
    books.close();
  }

  private String refusal(KeyRing keys) {
    return MasterKeys.check(books.database(), keys, true).orElse("");
  }

  private void serve(KeyRing keys) {
    assertThat(refusal(keys)).isEmpty();
  }

  private long known() {
    return books.number("SELECT count(*) FROM master_keys");
  }

  @Test
  void aNodeWithAnotherMasterSecretIsRefused() {
    serve(GateFixture.keys("k1", "k1"));
    assertThat(refusal(GateFixture.keys("k9", "k9")))
        .contains("none of its keys (k9) is known to these data, which know k1");
    assertThat(known()).isOne();
  }

  @Test
  void aNodeWithAnotherKeyOfTheSameNameIsRefused() {
    serve(GateFixture.keys("k1", "k1"));
    assertThat(refusal(new KeyRing("k1", Map.of("k1", new byte[32]))))
        .contains("the key k1 is not the one");
    serve(GateFixture.keys("k1", "k1"));
  }

  @Test
  void keysAreRotatedInTwoStepsAndTheOldOneRemoved() {
    serve(GateFixture.keys("k1", "k1"));
    serve(GateFixture.keys("k1", "k1", "k2"));
    serve(GateFixture.keys("k2", "k1", "k2"));
    serve(GateFixture.keys("k2", "k2"));
    assertThat(known()).isEqualTo(2);
  }

  @Test
  void acceptedKeysAreKnownAfterwards() {
    serve(GateFixture.keys("k1", "k1"));
    assertThat(MasterKeys.check(books.database(), GateFixture.keys("k9", "k9"), false)).isEmpty();
    serve(GateFixture.keys("k9", "k9"));
  }
}
