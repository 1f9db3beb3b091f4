package fairgate.gate.signature;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.signature.SignatureService.Message;
import fairgate.gate.signature.SignatureService.SignatureOutcome;
import fairgate.testkit.RequestSigner;
import fairgate.testkit.RequestSigner.Draft;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignatureServiceTest {
  private static final String BODY = "{\"product_id\":\"7\"}";

  @SuppressWarnings("NullAway.Init")
  private static SignatureWorld world;

  private final ApiKeys.CreatedKey key = world.keys.create("shop", null, "operator").orElseThrow();
  private final RequestSigner signer =
      new RequestSigner(key.key().id(), key.secret(), world.gate.clock);

  @BeforeAll
  static void open() {
    world = new SignatureWorld();
  }

  @AfterAll
  static void close() {
    world.close();
  }

  private static Draft draft() {
    return RequestSigner.draft("POST", URI.create("https://shop.example/api/purchase"), BODY);
  }

  private SentMessage sent(Draft draft) {
    SentMessage message = new SentMessage().body(BODY);
    signer.sign(draft).forEach(message::header);
    return message;
  }

  private String reason(Message message) {
    return world.service.examine(message) instanceof SignatureOutcome.Rejected(String reason)
        ? reason
        : "none";
  }

  private String reason(Draft draft) {
    return reason(sent(draft));
  }

  private static long now() {
    return world.gate.clock.instant().getEpochSecond();
  }

  @Test
  void aSignedRequestHasItsSignerAndNonce() {
    SignatureOutcome outcome =
        world.service.examine(sent(draft().param("nonce", "\"0123456789abcdef\"")));
    assertThat(outcome)
        .isEqualTo(
            new SignatureOutcome.Signed(
                key.key().id(),
                "nonce:" + key.key().id() + ":0123456789abcdef",
                Duration.ofSeconds(121)));
  }

  @Test
  void anUnsignedRequestIsRecognised() {
    assertThat(world.service.examine(new SentMessage().body(BODY)))
        .isEqualTo(new SignatureOutcome.Unsigned());
  }

  @Test
  void foreignSignaturesAreIgnored() {
    SentMessage message = sent(draft());
    String ours = message.headers("signature-input").getFirst();
    String mac = message.headers("signature").getFirst();
    message.headers.put("signature-input", List.of("proxy=(\"@path\");tag=\"edge\"", ours));
    message.headers.put("signature", List.of(mac + ", proxy=:AAAA:"));
    assertThat(reason(message)).isEqualTo("none");
  }

  @ParameterizedTest
  @CsvSource({"-60, none", "60, none", "-61, created", "61, created", "3600, created"})
  void clocksMayDifferByAMinute(long skew, String reason) {
    long created = now() + skew;
    assertThat(
            reason(
                draft()
                    .param("created", Long.toString(created))
                    .param("expires", Long.toString(created + 300))))
        .isEqualTo(reason);
  }

  @Test
  void aRequestExpires() {
    Draft draft = draft().param("expires", Long.toString(now() + 10));
    SentMessage message = sent(draft);
    world.gate.clock.advance(Duration.ofSeconds(9));
    assertThat(reason(message)).isEqualTo("none");
    world.gate.clock.advance(Duration.ofSeconds(1));
    assertThat(reason(message)).isEqualTo("expires");
  }

  @Test
  void theLifetimeIsBounded() {
    assertThat(reason(draft().param("expires", Long.toString(now() + 301)))).isEqualTo("expires");
    assertThat(reason(draft().param("expires", Long.toString(now())))).isEqualTo("expires");
  }

  @Test
  void aNonceIsStoredUntilItsRequestIsTooOldOnEveryNode() {
    SentMessage message =
        sent(
            draft()
                .param("created", Long.toString(now() + 60))
                .param("expires", Long.toString(now() + 360)));
    assertThat(world.service.examine(message))
        .isInstanceOfSatisfying(
            SignatureOutcome.Signed.class,
            signed -> assertThat(signed.remember()).isEqualTo(Duration.ofSeconds(181)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"created", "expires", "nonce", "keyid"})
  void noParameterMayBeMissing(String name) {
    assertThat(reason(draft().param(name, ""))).isEqualTo("params");
  }

  @Test
  void parametersAreTypeChecked() {
    assertThat(reason(draft().param("created", "\"1\""))).isEqualTo("params");
    assertThat(reason(draft().param("nonce", "12345678901234"))).isEqualTo("params");
    assertThat(reason(draft().param("nonce", "\"short\""))).isEqualTo("nonce");
    assertThat(reason(draft().param("nonce", "\"" + "a".repeat(65) + "\""))).isEqualTo("nonce");
    assertThat(reason(draft().param("nonce", "\"0123456789 abcdef\""))).isEqualTo("nonce");
  }

  @Test
  void theKeyDeterminesTheAlgorithm() {
    assertThat(reason(draft().param("alg", ""))).isEqualTo("none");
    assertThat(reason(draft().param("tag", ""))).isEqualTo("none");
    assertThat(reason(draft().param("alg", "\"rsa-pss-sha512\""))).isEqualTo("alg");
    assertThat(reason(draft().param("alg", "\"none\""))).isEqualTo("alg");
    assertThat(reason(draft().param("tag", "\"other\""))).isEqualTo("malformed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"@method", "@authority", "@path", "content-digest"})
  void everyRequiredComponentMustBeSigned(String name) {
    List<String> rest =
        new ArrayList<>(List.of("@method", "@authority", "@path", "content-digest"));
    rest.remove(name);
    assertThat(reason(draft().signing(rest.toArray(String[]::new)))).isEqualTo("components");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-session-id", "idempotency-key", "authorization", "cookie"})
  void aHeaderThatChangesTheMeaningMustBeSignedToo(String name) {
    assertThat(reason(draft().header(name, "value"))).isEqualTo("none");
    assertThat(
            reason(
                draft()
                    .header(name, "value")
                    .signing("@method", "@authority", "@path", "content-digest")))
        .isEqualTo("components");
    // Added by a proxy.
    assertThat(reason(sent(draft()).header(name, "value"))).isEqualTo("components");
  }

  @Test
  void aQueryMustBeSigned() {
    SentMessage added = sent(draft());
    added.target = "/api/purchase?product_id=8";
    assertThat(reason(added)).isEqualTo("components");
    Draft withQuery =
        RequestSigner.draft("POST", URI.create("https://shop.example/api/purchase?a=1"), BODY);
    SentMessage message = sent(withQuery);
    message.target = "/api/purchase?a=1";
    assertThat(reason(message)).isEqualTo("none");
    message.target = "/api/purchase?a=2";
    assertThat(reason(message)).isEqualTo("signature");
  }

  @Test
  void absentOrRepeatedComponentsAreRefused() {
    assertThat(reason(draft().signing("@method", "@authority", "@path", "content-digest", "x-no")))
        .isEqualTo("components");
    assertThat(
            reason(draft().signing("@method", "@authority", "@path", "content-digest", "@method")))
        .isEqualTo("components");
  }

  @Test
  void nothingSignedCanBeChanged() {
    SentMessage method = sent(draft());
    method.method = "PUT";
    SentMessage host = sent(draft());
    host.host = "evil.example";
    SentMessage path = sent(draft());
    path.target = "/api/queue/join";
    SentMessage header = sent(draft().header("x-session-id", "one"));
    header.headers.put("x-session-id", List.of("two"));
    SentMessage twice = sent(draft().header("x-session-id", "one")).header("x-session-id", "two");
    SentMessage input = sent(draft());
    input.headers.computeIfPresent(
        "signature-input",
        (_, values) -> List.of(values.getFirst().replace("nonce=\"", "nonce=\"x")));
    for (SentMessage changed : List.of(method, host, path, header, twice, input)) {
      assertThat(reason(changed)).isEqualTo("signature");
    }
    assertThat(reason(sent(draft()).body("{\"product_id\":\"8\"}"))).isEqualTo("digest");
    assertThat(reason(sent(draft()).body(""))).isEqualTo("digest");
  }

  @Test
  void aSignatureByAnotherOrUnknownKeyIsRefused() {
    ApiKeys.CreatedKey other = world.keys.create("other", null, "operator").orElseThrow();
    RequestSigner liar = new RequestSigner(other.key().id(), key.secret(), world.gate.clock);
    RequestSigner stranger = new RequestSigner("ak_nobody", key.secret(), world.gate.clock);
    for (Map.Entry<RequestSigner, String> each :
        Map.of(liar, "signature", stranger, "keyid").entrySet()) {
      SentMessage message = new SentMessage().body(BODY);
      each.getKey().sign(draft()).forEach(message::header);
      assertThat(reason(message)).isEqualTo(each.getValue());
    }
  }

  @Test
  void aRevokedKeyIsRefusedAndItsSuccessorAccepted() {
    ApiKeys.CreatedKey successor = world.keys.create("shop", null, "operator").orElseThrow();
    assertThat(reason(draft())).isEqualTo("none");
    assertThat(world.keys.revoke(key.key().id(), "operator")).isPresent();
    assertThat(reason(draft())).isEqualTo("keyid");
    SentMessage message = new SentMessage().body(BODY);
    new RequestSigner(successor.key().id(), successor.secret(), world.gate.clock)
        .sign(draft())
        .forEach(message::header);
    assertThat(reason(message)).isEqualTo("none");
  }

  @Test
  void requestsMayArriveInAnyOrder() {
    SentMessage first = sent(draft());
    world.gate.clock.advance(Duration.ofSeconds(20));
    SentMessage second = sent(draft());
    world.gate.clock.advance(Duration.ofSeconds(20));
    assertThat(reason(second)).isEqualTo("none");
    assertThat(reason(first)).isEqualTo("none");
  }

  @Test
  void incompleteSignaturesAreMalformed() {
    SentMessage input = sent(draft());
    input.headers.remove("signature");
    SentMessage mac = sent(draft());
    mac.headers.remove("signature-input");
    SentMessage renamed = sent(draft());
    renamed.headers.computeIfPresent(
        "signature", (_, values) -> List.of(values.getFirst().replace("fg=", "gf=")));
    SentMessage twice = sent(draft());
    twice.header("signature-input", "b=(\"@path\")").header("signature", "b=:AAAA:");
    SentMessage repeated = sent(draft());
    repeated.header("signature-input", repeated.headers("signature-input").getFirst());
    for (SentMessage message : List.of(input, mac, renamed, twice, repeated)) {
      assertThat(reason(message)).isEqualTo("malformed");
    }
  }

  @Test
  void aTruncatedSignatureIsInvalid() {
    SentMessage message = sent(draft());
    String mac = message.headers("signature").getFirst();
    byte[] bytes = Base64.getDecoder().decode(mac.substring(4, mac.length() - 1));
    for (int length : new int[] {0, 1, 16, 31}) {
      String part = Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(bytes, length));
      message.headers.put("signature", List.of("fg=:" + part + ":"));
      assertThat(reason(message)).isEqualTo("signature");
    }
  }

  @Test
  void aRequestWithoutABodyNeedsNoDigest() {
    Draft get = RequestSigner.draft("GET", URI.create("https://shop.example/api/products"), "");
    SentMessage message = new SentMessage();
    message.method = "GET";
    message.target = "/api/products";
    signer.sign(get).forEach(message::header);
    assertThat(reason(message)).isEqualTo("none");
  }
}
