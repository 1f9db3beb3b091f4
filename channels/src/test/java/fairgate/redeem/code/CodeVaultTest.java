package fairgate.redeem.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.KeyRing;
import fairgate.redeem.code.CodeVault.Sealed;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CodeVaultTest {
  private static final String CODE = "MHYDET-C9GQHG-X4CD";
  private static final byte[] OLD = "o".repeat(32).getBytes(StandardCharsets.UTF_8);
  private static final byte[] NEW = "n".repeat(32).getBytes(StandardCharsets.UTF_8);

  private final CodeVault vault = new CodeVault(new KeyRing("old", Map.of("old", OLD)));

  @Test
  void whatIsSealedOpensAgain() {
    Sealed box = vault.seal(CODE);
    assertThat(vault.open(box.keyId(), box.hash(), box.box())).isEqualTo(CODE);
    assertThat(box.last4()).isEqualTo("X4CD");
    assertThat(new String(box.box(), StandardCharsets.ISO_8859_1)).doesNotContain("C9GQHG");
  }

  @Test
  void everyBoxIsAnotherAndTheHashIsTheSame() {
    Sealed one = vault.seal(CODE);
    Sealed two = vault.seal(" mhydet c9gqhg　x4cd");
    assertThat(two.hash()).isEqualTo(one.hash());
    assertThat(vault.seal(CODE).box()).isNotEqualTo(one.box());
  }

  @Test
  void aBoxOfAnotherRowOrAChangedOneDoesNotOpen() {
    Sealed one = vault.seal(CODE);
    Sealed other = vault.seal("MHYDET-222222-2222");
    assertThatThrownBy(() -> vault.open("old", other.hash(), one.box()))
        .isInstanceOf(IllegalStateException.class);
    byte[] bent = one.box().clone();
    bent[15] ^= 1;
    assertThatThrownBy(() -> vault.open("old", one.hash(), bent))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> vault.open("old", one.hash(), Arrays.copyOf(one.box(), 5)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> vault.open("gone", one.hash(), one.box()))
        .hasMessageContaining("gone");
  }

  @Test
  void codesOfAnOldKeyAreStillFoundAndOpened() {
    Sealed box = vault.seal(CODE);
    CodeVault rotated = new CodeVault(new KeyRing("new", Map.of("old", OLD, "new", NEW)));
    assertThat(rotated.hashes(CODE)).hasSize(2);
    assertThat(rotated.hashes(CODE).getFirst()).isEqualTo(rotated.seal(CODE).hash());
    assertThat(rotated.hashes(CODE).getLast()).isEqualTo(box.hash());
    assertThat(rotated.open(box.keyId(), box.hash(), box.box())).isEqualTo(CODE);
    assertThat(rotated.seal(CODE).keyId()).isEqualTo("new");
  }

  @Test
  void shortCodesDoNotShowMoreThanHalf() {
    assertThat(CodeVault.last4("ABCD")).isEqualTo("CD");
    assertThat(CodeVault.last4("abc-def")).isEqualTo("DEF");
  }
}
