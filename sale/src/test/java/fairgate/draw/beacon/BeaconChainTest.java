package fairgate.draw.beacon;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.DrawVectors;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.StrictText;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class BeaconChainTest {
  private static final String INFINITY = "c0" + "00".repeat(47);

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  private static BlsKey testKey() {
    JsonObject info = Json.parseObject(DrawVectors.resource("test_chain.json"));
    return BlsKey.parse(hex(String.valueOf(info.get("public_key")))).orElseThrow();
  }

  private static BeaconChain testChain() {
    return BeaconChain.parse(DrawVectors.resource("test_chain.json")).orElseThrow();
  }

  @Test
  void theRoundOfTheVectorsIsValidAndItsNeighbourIsNot() {
    DrawVectors vectors = new DrawVectors();
    byte[] signature = hex(vectors.beacon("signature"));
    assertThat(BeaconChain.QUICKNET.verifies(657_413, signature)).isTrue();
    assertThat(BeaconChain.QUICKNET.verifies(657_414, signature)).isFalse();
    assertThat(BeaconChain.randomness(signature).hex()).isEqualTo(vectors.beacon("randomness"));
    assertThat(BeaconChain.QUICKNET.hash()).isEqualTo(vectors.beacon("chain"));
  }

  @Test
  void anotherRecordedRoundOfQuicknetIsValid() {
    byte[] signature =
        hex(
            "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
                + "e342b73a8dd2bacbe47e4b6b63ed5e39");
    assertThat(BeaconChain.QUICKNET.verifies(1000, signature)).isTrue();
    assertThat(BeaconChain.randomness(signature).hex())
        .isEqualTo("fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd");
  }

  /// Signed by another implementation with a test key. The sum of twenty signatures is the
  /// signature of the sum of their messages' points. Every fifth round of a thousand, because each
  /// takes milliseconds.
  @Test
  void theRoundsOfATestChainAreValid() {
    List<String> signatures =
        StrictText.utf8(DrawVectors.resource("test_rounds.txt")).orElseThrow().lines().toList();
    assertThat(signatures).hasSize(1000);
    BlsKey key = testKey();
    G1Point hashed = G1Point.INFINITY;
    G1Point signed = G1Point.INFINITY;
    for (int round = 5; round <= signatures.size(); round += 5) {
      hashed = hashed.add(BlsKey.hash(BeaconChain.message(round)));
      signed = signed.add(G1Point.parse(hex(signatures.get(round - 1))).orElseThrow());
      if (round % 100 == 0) {
        assertThat(key.verifies(hashed, signed)).as("rounds to %d", round).isTrue();
        hashed = G1Point.INFINITY;
        signed = G1Point.INFINITY;
      }
    }
  }

  @Test
  void aSignatureIsThatOfItsRoundAndChainOnly() {
    BeaconChain chain = testChain();
    List<String> signatures =
        StrictText.utf8(DrawVectors.resource("test_rounds.txt")).orElseThrow().lines().toList();
    for (int i = 0; i < signatures.size(); i += 200) {
      byte[] signature = hex(signatures.get(i));
      assertThat(chain.verifies(i + 1, signature)).as("round %d", i + 1).isTrue();
      assertThat(chain.verifies(i + 1, signature)).as("again").isTrue();
      assertThat(chain.verifies(i + 2, signature)).isFalse();
      assertThat(BeaconChain.QUICKNET.verifies(i + 1, signature)).isFalse();
      byte[] other = hex(signatures.get(i + 1));
      assertThat(chain.verifies(i + 1, other)).as("another one after the valid one").isFalse();
    }
  }

  @Test
  void roundsHaveTheirTimes() {
    BeaconChain quicknet = BeaconChain.QUICKNET;
    // 2026-04-20T00:00:00Z, an example of an independent client.
    assertThat(quicknet.timeOf(27_946_612)).isEqualTo(1_776_643_200);
    assertThat(quicknet.roundAt(1_776_643_200)).isEqualTo(27_946_612);
    assertThat(quicknet.roundAt(1_776_643_201)).isEqualTo(27_946_613);
    assertThat(quicknet.roundAt(0)).isEqualTo(1);
  }

  /// RFC 9380, J.9.1.
  @Test
  void messagesHashToThePointsOfTheRfc() {
    HashToG1 suite = new HashToG1("QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_");
    expectPoint(
        suite.hash(StrictText.bytes("")),
        "052926add2207b76ca4fa57a8734416c8dc95e24501772c814278700eed6d1e4e8cf62d9c09db0fac349612b759e79a1",
        "08ba738453bfed09cb546dbb0783dbb3a5f1f566ed67bb6be0e8c67e2e81a4cc68ee29813bb7994998f3eae0c9c6a265");
    expectPoint(
        suite.hash(StrictText.bytes("abc")),
        "03567bc5ef9c690c2ab2ecdf6a96ef1c139cc0b2f284dca0a9a7943388a49a3aee664ba5379a7655d3c68900be2f6903",
        "0b9c15f3fe6e5cf4211f346271d7b01c8f3b28be689c8429c85b67af215533311f0b8dfaaa154fa6b88176c229f2885d");
    expectPoint(
        suite.hash(StrictText.bytes("abcdef0123456789")),
        "11e0b079dea29a68f0383ee94fed1b940995272407e3bb916bbf268c263ddd57a6a27200a784cbc248e84f357ce82d98",
        "03a87ae2caf14e8ee52e51fa2ed8eefe80f02457004ba4d486d6aa1f517c0889501dc7413753f9599b099ebcbbd2d709");
    expectPoint(
        suite.hash(StrictText.bytes("q128_" + "q".repeat(128))),
        "15f68eaa693b95ccb85215dc65fa81038d69629f70aeee0d0f677cf22285e7bf58d7cb86eefe8f2e9bc3f8cb84fac488",
        "1807a1d50c29f430b8cafc4f8638dfeeadf51211e1602a5f184443076715f91bb90a48ba1e370edce6ae1062f5e6dd38");
    expectPoint(
        suite.hash(StrictText.bytes("a512_" + "a".repeat(512))),
        "082aabae8b7dedb0e78aeb619ad3bfd9277a2f77ba7fad20ef6aabdc6c31d19ba5a6d12283553294c1825c4b3ca2dcfe",
        "05b84ae5a942248eea39e1d91030458c40153f3b654ab7872d779ad1e942856a20c438e8d99bc8abfbf74729ce1f7ac8");
  }

  private static void expectPoint(G1Point point, String x, String y) {
    assertThat(point).isEqualTo(new G1Point(new BigInteger(x, 16), new BigInteger(y, 16)));
    assertThat(point.isOnCurve()).isTrue();
    assertThat(point.multiply(G1Point.ORDER)).isEqualTo(G1Point.INFINITY);
  }

  /// RFC 9380, K.1.
  @Test
  void messagesExpandToTheBytesOfTheRfc() {
    HashToG1 suite = new HashToG1("QUUX-V01-CS02-with-expander-SHA256-128");
    assertThat(HexFormat.of().formatHex(suite.expand(new byte[0], 32)))
        .isEqualTo("68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235");
    assertThat(HexFormat.of().formatHex(suite.expand(StrictText.bytes("abc"), 32)))
        .isEqualTo("d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615");
  }

  @Test
  void pointsOutsideTheSubgroupAreNoSignatures() {
    assertThat(G1Point.parse(hex(INFINITY))).isEmpty();
    assertThat(BeaconChain.QUICKNET.verifies(1, hex(INFINITY))).isFalse();
    // The first x with a point on the curve: its order is not that of G1.
    BigInteger x = BigInteger.ZERO;
    while (G1Point.squareRoot(x.pow(3).add(BigInteger.valueOf(4)).mod(G1Point.P)).isEmpty()) {
      x = x.add(BigInteger.ONE);
    }
    byte[] compressed = G1Point.bytes(x);
    compressed[0] |= (byte) 0x80;
    assertThat(G1Point.parse(compressed)).isEmpty();
    byte[] tooLarge = G1Point.bytes(G1Point.P);
    tooLarge[0] |= (byte) 0x80;
    assertThat(G1Point.parse(tooLarge)).isEmpty();
  }

  @Test
  void aKeyOutsideTheSubgroupIsNoKey() {
    byte[] key = new byte[BlsKey.LENGTH];
    key[0] = (byte) 0x80;
    for (int i = 0; i < 64; i++) {
      key[BlsKey.LENGTH - 1] = (byte) i;
      assertThat(BlsKey.parse(key)).isEmpty();
    }
    key[0] = (byte) 0xc0;
    assertThat(BlsKey.parse(key)).isEmpty();
    assertThat(BlsKey.parse(new byte[3])).isEmpty();
  }

  @Test
  void aChangedDescriptionIsRefused() {
    String info = StrictText.utf8(DrawVectors.resource("test_chain.json")).orElseThrow().strip();
    for (String wrong :
        List.of(
            info.replace("1767225600", "1767225601"),
            info.replace("\"period\":3", "\"period\":4"),
            info.replace("fairgate-test", "default"),
            info.replace("rfc9380", "rfc9381"),
            info.replace("\"public_key\":\"a7", "\"public_key\":\"a8"),
            info.replace("\"public_key\":\"a7", "\"public_key\":\"zz"),
            info.replace("\"period\":3", "\"period\":\"3\""),
            "{}",
            "[]",
            "")) {
      assertThat(BeaconChain.parse(StrictText.bytes(wrong))).as(wrong).isEmpty();
    }
  }

  @Property(tries = 50)
  void arbitraryBytesAreNoSignature(@ForAll @Size(48) byte[] bytes) {
    assertThat(BeaconChain.QUICKNET.verifies(1, bytes)).isFalse();
    assertThat(BeaconChain.parse(bytes)).isEmpty();
    assertThat(Hash.ofParts(bytes)).isNotNull();
  }
}
