package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.gate.challenge.TestChallenge;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.run.BlockingWork;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeSmsGateway;
import fairgate.testkit.MailServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// Codes by e-mail through a real SMTP server and by SMS through a gateway, on the whole server.
class VerificationTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(5);
  private static final String PASSWORD = "correct horse 9";
  private static final String NEXT = "staple of wild horses";
  private static final AtomicLong PHONES = new AtomicLong(System.nanoTime() % 90_000_000L);
  private static final ListAppender<ILoggingEvent> LOG = new ListAppender<>();

  @SuppressWarnings("NullAway.Init")
  private static MailServer mail;

  @SuppressWarnings("NullAway.Init")
  private static FakeSmsGateway gateway;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String name = "u" + UUID.randomUUID().toString().substring(0, 12);
  private final String email = name + "@example.com";
  private final String phone = "+8869%08d".formatted(PHONES.incrementAndGet());

  @BeforeAll
  static void start() {
    LOG.start();
    root().addAppender(LOG);
    mail = MailServer.start();
    gateway = gateway(0);
    server = server(TestEngines.shared().freshDatabase(), gateway.port(), Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
    gateway.close();
    mail.close();
    root().detachAppender(LOG);
    assertThat(LOG.list).isNotEmpty();
    for (ILoggingEvent event : LOG.list) {
      assertThat(event.getFormattedMessage())
          .doesNotContain("+8869", "@example.com")
          .doesNotContainPattern("\\b\\d{6} (is your|是您)");
    }
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }

  private static FakeSmsGateway gateway(int port) {
    return FakeSmsGateway.start(port, SECRET, "AC1:token", Clock.systemUTC());
  }

  private static TestFairgate server(PostgresAddress at, int port, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("messages.email", "smtp");
    settings.put("messages.smtp_host", "127.0.0.1");
    settings.put("messages.smtp_port", Integer.toString(mail.port()));
    settings.put("messages.smtp_tls", "off");
    settings.put("messages.smtp_from", "Tickets <no-reply@shop.example>");
    settings.put("messages.sms", "webhook");
    settings.put("messages.webhook_url", "http://127.0.0.1:" + port + "/send");
    settings.put("messages.webhook_secret", SECRET);
    settings.putAll(more);
    return TestFairgate.start(TestEngines.shared(), at, settings);
  }

  private static HttpResponse<String> post(
      TestFairgate to, String path, Map<String, String> body, String... headers) {
    try {
      return to.callUntilAccepted("POST", "/api/v1" + path, JSON.writeValueAsString(body), headers);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static JsonNode json(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private String[] signedIn(TestFairgate to) {
    Map<String, String> credentials = Map.of("username", name, "password", PASSWORD);
    var _ = post(to, "/register", credentials);
    JsonNode login = json(post(to, "/login", credentials), 200);
    return new String[] {
      "Authorization", "Bearer " + login.path("token").asText(), "Accept-Language", "zh-Hans"
    };
  }

  private static Map<String, String> asking(String contact) {
    return Map.of("contact", contact, "turnstile_token", TestChallenge.TOKEN);
  }

  /// A code as it is copied from a mail on some telephones.
  private static String typed(String code) {
    return code.substring(0, 3) + "\u00a0" + code.substring(3) + " ";
  }

  private static String codeOf(String text) {
    assertThat(text).matches("(?s)\\d{6} .*");
    return text.substring(0, 6);
  }

  /// The code of the latest of so many mails to an address.
  private static String mailed(String address, int number) {
    List<MailServer.Mail> mails =
        Eventually.get(
            "a mail",
            () -> mail.mails().stream().filter(it -> it.to().equals(address)).toList(),
            all -> all.size() >= number);
    return codeOf(mails.getLast().text());
  }

  private static String received(FakeSmsGateway by, String phone, int number) {
    List<FakeSmsGateway.Sms> all =
        Eventually.get(
            "an SMS",
            () -> by.delivered().stream().filter(it -> it.to().equals(phone)).toList(),
            some -> some.size() >= number);
    return codeOf(all.getLast().text());
  }

  @Test
  void anEmailAddressIsVerifiedByTheCodeInTheMail() {
    String[] as = signedIn(server);
    JsonNode sent = json(post(server, "/identity/email", Map.of("email", email), as), 202);
    assertThat(sent.path("message").asText()).isEqualTo("验证码已发往您的电子邮箱。");
    String code = mailed(email, 1);
    assertThat(mail.mails().getLast().language()).isEqualTo("zh-Hans");
    JsonNode verified =
        json(
            post(
                server, "/identity/email/confirm", Map.of("email", email, "code", typed(code)), as),
            200);
    assertThat(verified.path("kind").asText()).isEqualTo("email");
    assertThat(verified.path("hint").asText()).isEqualTo("u…@example.com");
    assertThat(
            json(
                    post(
                        server,
                        "/identity/email/confirm",
                        Map.of("email", email, "code", code),
                        as),
                    403)
                .path("error")
                .asText())
        .isEqualTo("INVALID_CODE");
    var _ = json(post(server, "/identity/email", Map.of("email", "a@b"), as), 400);
  }

  @Test
  void ofManyConfirmationsAtATimeOneSucceeds() {
    String[] as = signedIn(server);
    var _ = json(post(server, "/identity/phone", Map.of("phone", phone), as), 202);
    String code = received(gateway, phone, 1);
    ConcurrentLinkedQueue<Integer> statuses = new ConcurrentLinkedQueue<>();
    BlockingWork.forEach(
        "confirm",
        IntStream.range(0, 4).boxed().toList(),
        _ ->
            statuses.add(
                post(server, "/identity/phone/confirm", Map.of("phone", phone, "code", code), as)
                    .statusCode()));
    assertThat(statuses).containsExactlyInAnyOrder(200, 403, 403, 403);
    assertThat(gateway.calls()).allMatch(FakeSmsGateway.Call::genuine);
  }

  @Test
  void aForgottenPasswordIsSetAnewByACodeAndEverySessionEnds() {
    String[] as = signedIn(server);
    var _ = json(post(server, "/identity/email", Map.of("email", email), as), 202);
    String first = mailed(email, 1);
    var _ =
        json(
            post(server, "/identity/email/confirm", Map.of("email", email, "code", first), as),
            200);
    JsonNode known = json(post(server, "/password/code", asking(email)), 202);
    JsonNode unknown = json(post(server, "/password/code", asking("x" + email)), 202);
    assertThat(unknown.path("message")).isEqualTo(known.path("message"));
    assertThat(unknown.size()).isEqualTo(known.size());
    String code = mailed(email, 2);
    Map<String, String> proof = Map.of("contact", email, "code", code);
    JsonNode proven = json(post(server, "/password/code/confirm", proof), 200);
    var _ = json(post(server, "/password/code/confirm", proof), 403);
    Map<String, String> reset =
        Map.of("token", proven.path("token").asText(), "new_password", NEXT);
    assertThat(json(post(server, "/password/reset", reset), 200).path("revoked").asInt())
        .isEqualTo(1);
    var _ = json(post(server, "/password/reset", reset), 400);
    assertThat(server.call("GET", "/api/v1/me", "", as).statusCode()).isEqualTo(401);
    var _ = json(post(server, "/login", Map.of("username", name, "password", NEXT)), 200);
    assertThat(mail.mails()).noneMatch(it -> it.to().equals("x" + email));
    var _ = json(post(server, "/password/code", Map.of("contact", "nobody")), 400);
    assertThat(
            json(post(server, "/password/code", Map.of("contact", email)), 403)
                .path("error")
                .asText())
        .as("without a solution of the challenge")
        .isEqualTo("CHALLENGE_REQUIRED");
  }

  private static HttpResponse<String> form(String path, String body) {
    return server.callUntilAccepted(
        "POST",
        path,
        body,
        "Content-Type",
        "application/x-www-form-urlencoded",
        "Origin",
        server.baseUrl(),
        "Accept-Language",
        "en");
  }

  @Test
  void thePageSetsANewPasswordWithoutScripts() {
    String[] as = signedIn(server);
    var _ = json(post(server, "/identity/email", Map.of("email", email), as), 202);
    var _ =
        json(
            post(
                server,
                "/identity/email/confirm",
                Map.of("email", email, "code", mailed(email, 1)),
                as),
            200);
    assertThat(server.call("GET", "/account/reset", "").body()).contains("/account/reset/code");
    HttpResponse<String> asked = form("/account/reset/code", "contact=" + email);
    assertThat(asked.statusCode()).as(asked.body()).isEqualTo(202);
    assertThat(asked.body()).contains("/account/reset/confirm", "If this telephone or e-mail");
    assertThat(form("/account/reset/code", "contact=nobody").statusCode()).isEqualTo(400);
    String code = mailed(email, 2);
    String proof = "contact=" + email + "&password=";
    String wrong = code.equals("000000") ? "000001" : "000000";
    assertThat(form("/account/reset/confirm", proof + "x&code=" + wrong).statusCode())
        .isEqualTo(403);
    HttpResponse<String> weak = form("/account/reset/confirm", proof + "short&code=" + code);
    assertThat(weak.statusCode()).as(weak.body()).isEqualTo(400);
    String token = weak.body().replaceFirst("(?s).*name=\"token\" value=\"([^\"]+)\".*", "$1");
    assertThat(form("/account/reset", "token=" + token + "&password=" + NEXT).statusCode())
        .isEqualTo(303);
    var _ = json(post(server, "/login", Map.of("username", name, "password", NEXT)), 200);
  }

  @Test
  void aMessageAcceptedBeforeARestartIsSentOnceByTheNodesThatFollow() {
    FakeSmsGateway away = gateway(0);
    int port = away.port();
    away.close();
    PostgresAddress database = TestEngines.shared().freshDatabase();
    TestFairgate first = server(database, port, Map.of());
    String[] as = signedIn(first);
    JsonNode sent = json(post(first, "/identity/phone", Map.of("phone", phone), as), 202);
    assertThat(sent.path("message").asText()).isEqualTo("验证码已发往您的手机。");
    Eventually.await(
        "the next person to be told that messages are late",
        () ->
            json(post(first, "/password/code", asking(phone)), 202)
                .path("message")
                .asText()
                .contains("較慢"));
    first.close();
    try (FakeSmsGateway back = gateway(port);
        TestFairgate second = server(database, port, Map.of());
        TestFairgate third = server(database, port, Map.of())) {
      String code = received(back, phone, 1);
      Map<String, String> proof = Map.of("phone", phone, "code", code);
      var _ = json(post(second, "/identity/phone/confirm", proof, as), 200);
      assertThat(third.call("GET", "/api/v1/identity", "", as).body()).contains("\"phone\"");
      assertThat(back.delivered()).hasSize(1);
    }
  }
}
