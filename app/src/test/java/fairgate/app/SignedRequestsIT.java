package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.RequestSigner;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// Signed calls on the whole server: keys from the admin API, nonces in Redis, two nodes. Once
/// without limits, where the guard spends nonces, and once with limits, where the limit script
/// does.
@ParameterizedClass
@ValueSource(strings = {"off", "on"})
class SignedRequestsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static TestEngines engines;
  private static TestFairgate server;
  private static TestFairgate other;
  private static RequestSigner signer;

  @Parameter String limits = "";

  @BeforeParameterizedClassInvocation
  static void start(String limits) throws IOException {
    engines = TestEngines.privateEngines();
    var database = engines.freshDatabase();
    Map<String, String> settings =
        Map.of(
            "signatures.required_for", "POST /api/queue/join",
            "limits", limits,
            "limit.ip", "off",
            "limit.network", "off",
            "limit.concurrent", "1000",
            "limit.budget_ms", "5000");
    server = TestFairgate.start(engines, database, settings);
    JsonNode made = JSON.readTree(server.admin("POST", "/api-keys", "{\"name\":\"tests\"}"));
    signer = signer(made);
    other = TestFairgate.start(engines, database, settings);
    server.createProduct("7", 5, "{\"preset\":\"queue\"}");
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    other.close();
    server.close();
    engines.close();
  }

  private static RequestSigner signer(JsonNode made) {
    return new RequestSigner(
        made.get("key_id").asText(), made.get("secret").asText(), Clock.systemUTC());
  }

  private static RequestSigner.Draft join(TestFairgate node) {
    return RequestSigner.draft(
        "POST",
        URI.create(node.baseUrl() + "/api/queue/join"),
        "{\"product_id\":\"7\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
  }

  private static HttpResponse<String> send(HttpRequest request) {
    return HTTP.sendAsync(request, BodyHandlers.ofString()).join();
  }

  private static void assertRefused(HttpResponse<String> answer, String reason) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(401);
    assertThat(answer.body())
        .contains("INVALID_REQUEST_SIGNATURE", "\"reason\":\"" + reason + "\"");
    assertThat(answer.headers().firstValue("accept-signature").orElse(""))
        .contains("\"@method\"", "nonce");
  }

  @Test
  void aRouteThatRequiresSignaturesAcceptsSignedCallsOnly() {
    HttpRequest unsigned =
        HttpRequest.newBuilder(URI.create(server.baseUrl() + "/api/queue/join"))
            .POST(HttpRequest.BodyPublishers.ofString("{\"product_id\":\"7\"}"))
            .build();
    assertRefused(send(unsigned), "missing");
    assertThat(send(signer.request(join(server))).statusCode()).isEqualTo(200);
  }

  @Test
  void otherRoutesAcceptUnsignedCallsButNoWrongSignature() {
    URI products = URI.create(server.baseUrl() + "/api/products/7");
    assertThat(send(HttpRequest.newBuilder(products).build()).statusCode()).isEqualTo(200);
    assertThat(send(signer.request(RequestSigner.draft("GET", products, ""))).statusCode())
        .isEqualTo(200);
    assertRefused(
        send(
            signer.request(
                RequestSigner.draft("GET", products, "").signing("@method", "@authority"))),
        "components");
    assertRefused(
        send(HttpRequest.newBuilder(products).header("signature", "fg=:AAAA:").build()),
        "malformed");
  }

  @Test
  void aSignedCallIsAcceptedOnceOnAllNodesTogether() {
    HttpRequest once = signer.request(join(server));
    assertThat(send(once).statusCode()).isEqualTo(200);
    assertRefused(send(once), "nonce");
    // The same nonce to another node: its address differs, so it is signed anew.
    String nonce = "\"one-nonce-for-two-nodes\"";
    HttpRequest here = signer.request(join(server).param("nonce", nonce));
    HttpRequest there = signer.request(join(other).param("nonce", nonce));
    assertThat(send(here).statusCode()).isEqualTo(200);
    assertRefused(send(there), "nonce");
  }

  @Test
  void oneOfManyConcurrentRepeatsIsAccepted() {
    HttpRequest request = signer.request(join(server));
    List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      calls.add(HTTP.sendAsync(request, BodyHandlers.ofString()));
    }
    List<HttpResponse<String>> answers = calls.stream().map(CompletableFuture::join).toList();
    assertThat(answers).filteredOn(answer -> answer.statusCode() == 200).hasSize(1);
    assertThat(answers)
        .filteredOn(answer -> answer.statusCode() != 200)
        .extracting(answer -> answer.statusCode() + " " + answer.body())
        .allMatch(answer -> answer.startsWith("401 "));
  }

  @Test
  void aChangedBodyIsRefused() {
    HttpRequest signed = signer.request(join(server));
    HttpRequest.Builder changed =
        HttpRequest.newBuilder(signed.uri())
            .POST(HttpRequest.BodyPublishers.ofString("{\"product_id\":\"8\"}"));
    signed.headers().map().forEach((name, values) -> changed.header(name, values.getFirst()));
    assertRefused(send(changed.build()), "digest");
  }

  @Test
  void aRevokedKeyIsRefusedOnTheOtherNodeSoon() throws IOException {
    JsonNode made = JSON.readTree(server.admin("POST", "/api-keys", "{\"name\":\"short\"}"));
    RequestSigner shortLived = signer(made);
    eventually(other, shortLived, 200);
    String path = "/api-keys/" + made.get("key_id").asText();
    assertThat(server.admin("DELETE", path, "")).contains("\"live\":false");
    assertThat(server.admin("DELETE", path, "")).contains("\"live\":false");
    eventually(other, shortLived, 401);
    assertThat(server.admin("GET", "/api-keys", ""))
        .contains(made.get("key_id").asText())
        .doesNotContain(made.get("secret").asText());
  }

  private static void eventually(TestFairgate node, RequestSigner by, int status) {
    var _ =
        Eventually.get(
            "status " + status,
            // Not a join: each one that is accepted takes a place of the network.
            () ->
                send(
                    by.request(
                        RequestSigner.draft(
                            "GET", URI.create(node.baseUrl() + "/api/products/7"), ""))),
            answer -> answer.statusCode() == status);
  }

  @Test
  void badKeysAreRefusedWithReasons() {
    String bearer = "Bearer " + TestFairgate.OPERATOR;
    for (String body :
        List.of(
            "{}",
            "{\"name\":\"\"}",
            "{\"name\":\"" + "x".repeat(101) + "\"}",
            "{\"name\":\"a\",\"expires_at\":\"tomorrow\"}",
            "{\"name\":\"a\",\"expires_at\":\"2020-01-01T00:00:00Z\"}")) {
      HttpResponse<String> answer =
          server.call("POST", "/api/admin/api-keys", body, "Authorization", bearer);
      assertThat(answer.statusCode()).as(body).isEqualTo(400);
    }
    assertThat(
            server
                .call("DELETE", "/api/admin/api-keys/ak_no", "", "Authorization", bearer)
                .statusCode())
        .isEqualTo(404);
    assertThat(server.call("GET", "/api/admin/api-keys", "").statusCode()).isEqualTo(401);
  }
}
