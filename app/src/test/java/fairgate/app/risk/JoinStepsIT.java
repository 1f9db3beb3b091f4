package fairgate.app.risk;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeSmsGateway;
import fairgate.testkit.MailServer;
import fairgate.testkit.SliderReader;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Joins that need a step, on the whole server: codes by e-mail and SMS, the slider, and what is
/// offered to people who cannot do a step.
class JoinStepsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "XXXX.DUMMY.TOKEN.XXXX";
  private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(5);
  private static final AtomicInteger NUMBERS = new AtomicInteger(780_000);

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static MailServer mail;

  @SuppressWarnings("NullAway.Init")
  private static FakeSmsGateway gateway;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String product = Integer.toString(NUMBERS.incrementAndGet());

  @BeforeAll
  static void start() {
    mail = MailServer.start();
    gateway = FakeSmsGateway.start(0, SECRET, "AC1:token", Clock.systemUTC());
    Map<String, String> settings = new HashMap<>(StepBundle.settings(folder));
    settings.put("messages.email", "smtp");
    settings.put("messages.smtp_host", "127.0.0.1");
    settings.put("messages.smtp_port", Integer.toString(mail.port()));
    settings.put("messages.smtp_tls", "off");
    settings.put("messages.smtp_from", "Tickets <no-reply@shop.example>");
    settings.put("messages.sms", "webhook");
    settings.put("messages.webhook_url", "http://127.0.0.1:" + gateway.port() + "/send");
    settings.put("messages.webhook_secret", SECRET);
    server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), settings);
  }

  @AfterAll
  static void stop() {
    server.close();
    gateway.close();
    mail.close();
  }

  private void open() {
    server.createProduct(product, 5, "{\"preset\": \"queue\", \"active_capacity\": 1}");
    server.openSale(product);
  }

  private static JsonNode json(HttpResponse<String> reply) {
    try {
      return JSON.readTree(reply.body());
    } catch (IOException e) {
      throw new AssertionError(reply.body(), e);
    }
  }

  /// A browser with its cookies, an address of its own and a chosen User-Agent.
  private final class Visitor {
    private final Map<String, String> cookies = new LinkedHashMap<>();
    private final String address;
    private final String agent;

    Visitor(String address, String agent) {
      this.address = address;
      this.agent = agent;
      var _ = call("GET", "/api/challenge?product_id=" + product + "&level=usual", "");
    }

    Visitor(String agent) {
      this("198.51.100." + NUMBERS.incrementAndGet() % 250, agent);
    }

    HttpResponse<String> call(String method, String path, String body, String... headers) {
      List<String> all = new ArrayList<>(List.of(headers));
      all.addAll(List.of("X-Forwarded-For", address, "User-Agent", agent));
      all.addAll(List.of("Accept-Language", "en"));
      List<String> pairs = new ArrayList<>();
      cookies.forEach((name, value) -> pairs.add(name + '=' + value));
      if (!pairs.isEmpty()) {
        all.addAll(List.of("Cookie", String.join("; ", pairs)));
      }
      HttpResponse<String> reply =
          server.callUntilAccepted(method, path, body, all.toArray(String[]::new));
      for (String line : reply.headers().allValues("set-cookie")) {
        String pair = line.replaceFirst(";.*", "");
        int cut = pair.indexOf('=');
        cookies.put(pair.substring(0, cut), pair.substring(cut + 1));
      }
      return reply;
    }

    HttpResponse<String> join() {
      return call(
          "POST",
          "/api/queue/join",
          "{\"product_id\":\"%s\",\"turnstile_token\":\"%s\"}".formatted(product, TOKEN));
    }

    /// The address of the page of this step, which the join was told.
    String asked(String step) {
      HttpResponse<String> refused = join();
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
      JsonNode told = json(refused);
      assertThat(told.path("error").asText()).isEqualTo("CHALLENGE_REQUIRED");
      assertThat(told.path("step").asText()).isEqualTo(step);
      assertThat(told.path("appeal_url").asText()).startsWith("/appeal/");
      return told.path("step_url").asText();
    }

    HttpResponse<String> form(String page, String act, String body) {
      return call(
          "POST",
          page.replace("/step?", "/step/" + act + '?'),
          body,
          "Content-Type",
          "application/x-www-form-urlencoded",
          "Sec-Fetch-Site",
          "same-origin");
    }

    void pass(String page, String step, String token) {
      HttpResponse<String> passed =
          call(
              "POST",
              "/api/challenge/pass",
              "{\"product_id\":\"%s\",\"ticket\":\"%s\",\"step\":\"%s\",\"token\":\"%s\"}"
                  .formatted(product, page.replaceFirst(".*for=", ""), step, token));
      assertThat(passed.statusCode()).as(passed.body()).isEqualTo(200);
    }

    void confirms(String page, String contact, String code) {
      HttpResponse<String> right =
          form(page, "confirm", "contact=" + contact.replace("+", "%2B") + "&code=" + code);
      assertThat(right.statusCode()).as(right.body()).isEqualTo(303);
      assertThat(right.headers().firstValue("location")).contains("/p/" + product + "#join");
    }

    void isInOrder() {
      HttpResponse<String> joined = join();
      assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
      assertThat(json(joined).has("seat")).isFalse();
    }

    void leaves() {
      HttpResponse<String> left = call("POST", "/api/queue/leave", "{}");
      assertThat(left.statusCode()).as(left.body()).isEqualTo(200);
    }
  }

  private static String code(Supplier<List<String>> texts, int number) {
    List<String> all =
        Eventually.get("a message", texts::get, messages -> messages.size() >= number);
    assertThat(all.getLast()).contains("joining the sale");
    return all.getLast().substring(0, 6);
  }

  private static List<String> mails(String to) {
    return mail.mails().stream()
        .filter(it -> it.to().equals(to))
        .map(MailServer.Mail::text)
        .toList();
  }

  private static List<String> texts(String to) {
    return gateway.delivered().stream()
        .filter(it -> it.to().equals(to))
        .map(FakeSmsGateway.Sms::text)
        .toList();
  }

  @Test
  void aCodeByMailOpensTheSaleForThisBrowserOnceAndForAll() {
    open();
    Visitor buyer = new Visitor(StepBundle.CODE);
    String page = buyer.asked("code");
    HttpResponse<String> shown = buyer.call("GET", page, "");
    assertThat(shown.body()).contains("Telephone or e-mail", "Send me a code", "/appeal/");
    String address = "a" + product + "@example.com";
    assertThat(buyer.form(page, "code", "contact=nobody").statusCode()).isEqualTo(400);
    HttpResponse<String> sent = buyer.form(page, "code", "contact=" + address);
    assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
    String code = code(() -> mails(address), 1);
    String wrong = code.equals("000000") ? "000001" : "000000";
    assertThat(buyer.form(page, "confirm", "contact=" + address + "&code=" + wrong).body())
        .contains("The code is wrong");
    String again = buyer.asked("code");
    buyer.confirms(again, address, code);
    buyer.isInOrder();
    buyer.leaves();
    buyer.isInOrder();
    assertThat(mails(address)).hasSize(1);
    assertThat(new Visitor(StepBundle.CODE).asked("code")).startsWith("/p/" + product);
  }

  @Test
  void aCodeBySmsOpensTheSale() {
    open();
    String phone = "+886912" + product;
    String form = "contact=" + phone.replace("+", "%2B");
    Visitor buyer = new Visitor(StepBundle.CODE);
    String page = buyer.asked("code");
    HttpResponse<String> sent = buyer.form(page, "code", form);
    assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
    buyer.confirms(page, phone, code(() -> texts(phone), 1));
    buyer.isInOrder();
  }

  @Test
  void whoHasNoTelephoneAndNoMailJoinsBehindTheOthers() {
    open();
    Visitor buyer = new Visitor(StepBundle.CODE);
    String page = buyer.asked("code");
    assertThat(buyer.call("GET", page, "").body()).contains("<h2>Join behind the others</h2>");
    buyer.pass(page, "work", TOKEN);
    JsonNode joined = json(buyer.join());
    assertThat(joined.path("seat").asText()).as(joined.toString()).isEqualTo("behind");
    assertThat(joined.path("appeal_url").asText()).startsWith("/appeal/");
  }

  @Test
  void theSliderHasAnAlternativeThatGivesTheSamePlace() {
    open();
    Visitor buyer = new Visitor(StepBundle.SLIDER, "Mozilla/5.0");
    String page = buyer.asked("slider");
    assertThat(buyer.call("GET", page, "").body())
        .contains("id=\"slider\"", "<h2>Let your device calculate</h2>", "Telephone or e-mail");
    buyer.pass(page, "work", TOKEN);
    buyer.isInOrder();
    Visitor other = new Visitor("2001:db8:8::1", "Mozilla/5.0");
    String offer =
        other.call("GET", "/api/challenge?level=slider&product_id=" + product, "").body();
    other.pass(
        other.asked("slider"), "slider", SliderReader.token(offer, SliderReader.read(offer)));
    other.isInOrder();
  }

  @Test
  void aFormWithoutScriptsLeadsToTheStepAndATicketOfAnotherBrowserBackToTheSale() {
    open();
    Visitor buyer = new Visitor(StepBundle.CODE);
    HttpResponse<String> form =
        buyer.call("POST", "/p/" + product + "/join", "", "Sec-Fetch-Site", "same-origin");
    assertThat(form.statusCode()).as(form.body()).isEqualTo(303);
    String page = form.headers().firstValue("location").orElseThrow();
    assertThat(page).startsWith("/p/" + product + "/step?for=code~");
    HttpResponse<String> foreign = new Visitor(StepBundle.CODE).call("GET", page, "");
    assertThat(foreign.statusCode()).isEqualTo(303);
    assertThat(foreign.headers().firstValue("location")).contains("/p/" + product);
    assertThat(
            buyer
                .call("POST", page.replace("/step?", "/step/code?"), "contact=a@example.com")
                .statusCode())
        .as("a form of another site")
        .isEqualTo(403);
  }

  @Test
  void anOutageOfTheMessageServiceIsNobodysFault() {
    open();
    gateway.mood(FakeSmsGateway.Behavior.BROKEN);
    try {
      Visitor buyer =
          Eventually.get(
              "somebody is told that messages are late",
              () -> {
                Visitor next = new Visitor(StepBundle.CODE);
                String page = next.asked("code");
                String phone = "%2B88691" + NUMBERS.incrementAndGet() + "1";
                HttpResponse<String> sent = next.form(page, "code", "contact=" + phone);
                assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
                return sent.body().contains("<h2>Let your device calculate</h2>") ? next : null;
              },
              next -> next != null);
      buyer.pass(buyer.asked("slider"), "work", TOKEN);
      buyer.isInOrder();
    } finally {
      gateway.mood(FakeSmsGateway.Behavior.WELL);
    }
  }
}
