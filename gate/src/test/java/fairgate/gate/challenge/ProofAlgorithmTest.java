package fairgate.gate.challenge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The vectors are those of the reference library (altcha-lib 2.8.0); the browser's solver was
/// checked against the same library.
class ProofAlgorithmTest {
  private static final HexFormat HEX = HexFormat.of();

  @ParameterizedTest
  @CsvSource({
    "SHA-256, 1, 0, b121510b16207cbd1ddf1b87ce0274a0b504dacd5f628907401d9878e4639961",
    "SHA-256, 16, 4294967295, 0e7b2ec9623614b42a92a5a6963383ef4585774b8757fc33dbdc3f39b0708916",
    "PBKDF2/SHA-256, 1, 7, 2ce8a21c62c9f81c1551669ec3b8ebdf65eb008b2ac230fab52ae6a9091ff45c",
    "PBKDF2/SHA-256, 1000, 65536, ef92bf16031bd35a808bcabf14cdad2f33207d1e9208c8591af4cd6dd1403b01"
  })
  void derivedKeysMatchTheReference(String name, int cost, long counter, String expected) {
    byte[] salt = HEX.parseHex("000102030405060708090a0b0c0d0e0f");
    byte[] nonce = HEX.parseHex("f0e0d0c0b0a090807060504030201000");

    byte[] key = ProofAlgorithm.named(name).orElseThrow().tryCounter(salt, nonce, counter, cost);

    assertThat(HEX.formatHex(key)).isEqualTo(expected);
  }
}
