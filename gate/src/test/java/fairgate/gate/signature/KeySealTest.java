package fairgate.gate.signature;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.KeySeal;
import fairgate.kernel.KeySeal.Sealed;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeySealTest {
  private static final byte[] SECRET =
      "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final GateFixture gate = new GateFixture();
  private final KeySeal seal = new KeySeal(gate.keys, gate.ids, "test");
  private final Sealed sealed = seal.seal("ak_1", SECRET);

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void aSecretIsDecryptedForItsId() {
    assertThat(seal.open("ak_1", sealed)).hasValueSatisfying(s -> assertThat(s).isEqualTo(SECRET));
    assertThat(seal.seal("ak_1", SECRET).box()).isNotEqualTo(sealed.box());
  }

  @Test
  void aSecretIsNotDecryptedForAnotherIdOrText() {
    assertThat(seal.open("ak_2", sealed)).isEmpty();
    byte[] box = Base64.getDecoder().decode(sealed.box());
    for (int i = 0; i < box.length; i++) {
      byte[] changed = box.clone();
      changed[i] ^= 1;
      assertThat(seal.open("ak_1", sealed(changed))).isEmpty();
    }
    for (int length : new int[] {0, 11, 12, 27}) {
      assertThat(seal.open("ak_1", sealed(Arrays.copyOf(box, length)))).isEmpty();
    }
    assertThat(seal.open("ak_1", new Sealed("k1", "no base64"))).isEmpty();
  }

  private static Sealed sealed(byte[] box) {
    return new Sealed("k1", Base64.getEncoder().encodeToString(box));
  }

  @Test
  void aSecretIsNotDecryptedForAnotherPurpose() {
    assertThat(new KeySeal(gate.keys, gate.ids, "other").open("ak_1", sealed)).isEmpty();
  }

  @Test
  void aSecretSurvivesKeyRotationUntilTheOldMasterKeyIsRemoved() {
    KeySeal rotated = new KeySeal(GateFixture.keys("k2", "k1", "k2"), gate.ids, "test");
    KeySeal later = new KeySeal(GateFixture.keys("k2", "k2"), gate.ids, "test");
    assertThat(rotated.open("ak_1", sealed)).isPresent();
    assertThat(rotated.seal("ak_1", SECRET).under()).isEqualTo("k2");
    assertThat(later.open("ak_1", sealed)).isEmpty();
  }
}
