package fairgate.account.oidc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.factories.DefaultJWSSignerFactory;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import fairgate.account.oidc.OidcProvider.Attempt;
import fairgate.account.oidc.OidcProvider.Identification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A provider whose keys, tokens and metadata the test chooses.
@Tag("slow")
class OidcProviderTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String CLIENT = "shop";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Attempt ATTEMPT =
      new Attempt(
          "state",
          "nonce",
          "verifier-of-at-least-43-characters-0123456789",
          URI.create("http://localhost:1/account/oidc/fake/callback"));

  /// Made once, because it takes a second.
  private static final RSAKey FIRST = key("first");

  private final CountDownLatch finished = new CountDownLatch(1);
  private final OidcHttp http = new OidcHttp(TIMEOUT);

  @SuppressWarnings("NullAway.Init")
  private HttpServer server;

  private volatile List<JWK> published = List.of(FIRST);
  private volatile String idToken = "";
  private volatile String tokenRequest = "";
  private volatile String metadataIssuer = "";
  private volatile boolean hangs;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/.well-known/openid-configuration", call -> answer(call, metadata()));
    server.createContext(
        "/keys", call -> answer(call, new JWKSet(List.copyOf(published)).toString(true)));
    server.createContext(
        "/token",
        call -> {
          tokenRequest = new String(call.getRequestBody().readAllBytes(), UTF_8);
          answer(
              call,
              "{\"access_token\":\"a\",\"token_type\":\"Bearer\",\"id_token\":\""
                  + idToken
                  + "\"}");
        });
    server.start();
    metadataIssuer = issuer();
  }

  @AfterEach
  void stop() {
    finished.countDown();
    server.stop(0);
    http.close();
  }

  private void answer(HttpExchange call, String body) throws IOException {
    if (hangs) {
      try {
        finished.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    byte[] bytes = body.getBytes(UTF_8);
    call.getResponseHeaders().add("content-type", "application/json");
    call.sendResponseHeaders(200, bytes.length);
    call.getResponseBody().write(bytes);
    call.close();
  }

  private String issuer() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private String metadata() {
    return """
    {"issuer":"%s","authorization_endpoint":"%2$s/authorize","token_endpoint":"%2$s/token",
     "jwks_uri":"%2$s/keys","response_types_supported":["code"],
     "subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"]}
    """
        .formatted(metadataIssuer, issuer());
  }

  private OidcProvider provider(boolean line) {
    return new OidcProvider(settings(line), http, TIMEOUT, System::nanoTime);
  }

  private OidcConfig.Provider settings(boolean line) {
    return new OidcConfig.Provider(
        "fake", "Fake", issuer(), CLIENT, SECRET, List.of("openid"), line);
  }

  private static RSAKey key(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  private JWTClaimsSet.Builder claims() {
    Instant now = Instant.now();
    return new JWTClaimsSet.Builder()
        .issuer(issuer())
        .audience(CLIENT)
        .subject("person-1")
        .issueTime(Date.from(now))
        .expirationTime(Date.from(now.plusSeconds(300)))
        .claim("nonce", ATTEMPT.nonce());
  }

  private static String signed(JWK key, JWTClaimsSet claims) {
    JWSAlgorithm algorithm = key instanceof RSAKey ? JWSAlgorithm.RS256 : JWSAlgorithm.ES256;
    try {
      return signed(
          new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(),
          new DefaultJWSSignerFactory().createJWSSigner(key),
          claims);
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  private static String signed(JWSHeader header, JWSSigner signer, JWTClaimsSet claims)
      throws JOSEException {
    SignedJWT token = new SignedJWT(header, claims);
    token.sign(signer);
    return token.serialize();
  }

  private static String signedBySecret(JWTClaimsSet claims) {
    try {
      return signed(new JWSHeader(JWSAlgorithm.HS256), new MACSigner(SECRET), claims);
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  private Identification identify(String token) {
    idToken = token;
    return provider(false).identify("code", ATTEMPT);
  }

  @Test
  void aSignedTokenNamesThePerson() {
    assertThat(identify(signed(FIRST, claims().build())))
        .isEqualTo(new Identification.Person("person-1", ""));
    assertThat(tokenRequest)
        .contains("code_verifier=" + ATTEMPT.verifier(), "grant_type=authorization_code");
  }

  @Test
  void anAddressCountsWhenTheProviderHasVerifiedIt() {
    for (Object verified : new Object[] {true, "true", "True"}) {
      assertThat(emailOf(verified)).as("%s", verified).isEqualTo("anna@example.com");
    }
    for (Object unverified : new Object[] {false, "false", "yes", "", 1}) {
      assertThat(emailOf(unverified)).as("%s", unverified).isEmpty();
    }
  }

  private String emailOf(Object verified) {
    JWTClaimsSet claims =
        claims().claim("email", "Anna@Example.com").claim("email_verified", verified).build();
    return ((Identification.Person) identify(signed(FIRST, claims))).email();
  }

  @Test
  void aTokenWithoutSignatureIsRefused() {
    assertThat(identify(new PlainJWT(claims().build()).serialize()))
        .isInstanceOf(Identification.Refused.class);
  }

  @Test
  void aTokenSignedWithTheClientSecretIsRefused() {
    assertThat(identify(signedBySecret(claims().build())))
        .isInstanceOf(Identification.Refused.class);
  }

  @Test
  void lineLoginMaySignWithItsChannelSecret() {
    idToken = signedBySecret(claims().build());
    assertThat(provider(true).identify("code", ATTEMPT))
        .isEqualTo(new Identification.Person("person-1", ""));
    assertThat(tokenRequest).contains("client_secret=" + SECRET);
  }

  @Test
  void aTokenOfAForeignKeyIsRefused() {
    assertThat(identify(signed(key("first"), claims().build())))
        .isInstanceOf(Identification.Refused.class);
  }

  @Test
  void aTokenForSomebodyElseIsRefused() {
    List<JWTClaimsSet> bad =
        List.of(
            claims().audience("another-shop").build(),
            claims().audience(List.of(CLIENT, "another-shop")).build(),
            claims().audience(List.of(CLIENT, "b")).claim("azp", "another-shop").build(),
            claims().issuer("https://issuer.example.com").build(),
            claims().claim("nonce", "of-another-sign-in").build(),
            claims().claim("nonce", null).build(),
            claims().subject(null).build(),
            claims().subject("person\u00001").build(),
            claims().expirationTime(Date.from(Instant.now().minusSeconds(120))).build(),
            claims().issueTime(Date.from(Instant.now().plusSeconds(600))).build());
    for (JWTClaimsSet claims : bad) {
      assertThat(identify(signed(FIRST, claims)))
          .as(claims.toString())
          .isInstanceOf(Identification.Refused.class);
    }
  }

  @Test
  void rotatedKeysAreFetched() throws JOSEException {
    OidcProvider provider = provider(false);
    idToken = signed(FIRST, claims().build());
    assertThat(provider.identify("code", ATTEMPT)).isInstanceOf(Identification.Person.class);
    JWK second = new ECKeyGenerator(Curve.P_256).keyID("second").generate();
    published = List.of(second);
    idToken = signed(second, claims().build());
    assertThat(provider.identify("code", ATTEMPT)).isInstanceOf(Identification.Person.class);
    idToken = signed(FIRST, claims().build());
    assertThat(provider.identify("code", ATTEMPT)).isNotInstanceOf(Identification.Person.class);
  }

  @Test
  void metadataOfAnotherIssuerIsRefused() {
    metadataIssuer = "http://127.0.0.1:1";
    assertThatThrownBy(() -> provider(false).authorization(ATTEMPT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another issuer");
  }

  @Test
  @Timeout(120)
  void aProviderThatHangsIsAwayAfterTheDeadline() {
    hangs = true;
    try (OidcHttp hasty = new OidcHttp(SHORT)) {
      OidcProvider provider = new OidcProvider(settings(false), hasty, SHORT, () -> 0);
      assertThat(provider.identify("code", ATTEMPT)).isInstanceOf(Identification.Away.class);
      assertThat(provider.identify("code", ATTEMPT)).isInstanceOf(Identification.Away.class);
      // Two failures suspend further calls.
      assertThat(provider.identify("code", ATTEMPT))
          .isInstanceOfSatisfying(
              Identification.Away.class, away -> assertThat(away.reason()).contains("suspended"));
    }
  }

  @Test
  void theAuthorizationRequestHasPkceStateAndNonce() {
    try {
      String request = provider(false).authorization(ATTEMPT).toString();
      assertThat(request)
          .startsWith(issuer() + "/authorize?")
          .contains(
              "code_challenge_method=S256",
              "code_challenge=",
              "state=state",
              "nonce=nonce",
              "response_type=code",
              "scope=openid")
          .doesNotContain(ATTEMPT.verifier());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theIssuerOfTheResponseIsCompared() {
    OidcProvider provider = provider(false);
    assertThat(provider.answers("")).isTrue();
    assertThat(provider.answers(issuer())).isTrue();
    assertThat(provider.answers("https://another.example.com")).isFalse();
  }
}
