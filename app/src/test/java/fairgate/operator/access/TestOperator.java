package fairgate.operator.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// An operator of the tests, who has followed a one-time link and uses the pages and the admin API
/// as a browser does.
public final class TestOperator {
  public static final String PASSWORD = "a long and quiet phrase 7";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern KEY = Pattern.compile("id=\"key\">([A-Z2-7]+)<");
  private static final Pattern RECOVERY = Pattern.compile("<li><code>([A-Z2-7-]+)</code>");
  private static final String[] OWN_PAGE = {"sec-fetch-site", "same-origin"};

  private final TestFairgate server;
  private final String name;
  private final byte[] secret;
  private final List<String> recoveryCodes;
  private String cookie;

  private TestOperator(
      TestFairgate server, String name, byte[] secret, List<String> recoveryCodes, String cookie) {
    this.server = server;
    this.name = name;
    this.secret = secret;
    this.recoveryCodes = recoveryCodes;
    this.cookie = cookie;
  }

  /// The first owner, by the link that `up` prints.
  public static TestOperator firstOwner(TestFairgate server) {
    return follow(server, "owner", server.firstOwnerLink().orElseThrow());
  }

  /// A new operator, added with the shared token.
  public static TestOperator add(TestFairgate server, String name, Role role) {
    String body = "{\"name\":\"%s\",\"role\":\"%s\"}".formatted(name, role.word());
    return follow(
        server, name, json(server.admin("POST", "/operators", body)).path("link").asText());
  }

  /// Opens a one-time link and completes its form.
  public static TestOperator follow(TestFairgate server, String name, String link) {
    HttpResponse<String> page = server.callUntilAccepted("GET", link, "");
    assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
    byte[] secret = decode(found(KEY, page.body()).getFirst());
    HttpResponse<String> done = enrol(server, link, PASSWORD, Totp.code(secret, Instant.now()));
    assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
    List<String> codes = new ArrayList<>(found(RECOVERY, done.body()));
    assertThat(codes).hasSize(10).doesNotHaveDuplicates();
    return new TestOperator(server, name, secret, codes, cookieOf(done));
  }

  /// Sends the form of a one-time link.
  static HttpResponse<String> enrol(
      TestFairgate server, String link, String password, String code) {
    return server.callUntilAccepted(
        "POST", link, "password=" + encoded(password) + "&code=" + encoded(code), OWN_PAGE);
  }

  /// Sends the form of the sign-in page, with further headers.
  static HttpResponse<String> signIn(
      TestFairgate server, String name, String password, String code, String... headers) {
    String body = form(name, password, code);
    return server.callUntilAccepted("POST", "/console/sign-in", body, with(headers, OWN_PAGE));
  }

  private static String form(String name, String password, String code) {
    return "name=" + encoded(name) + "&password=" + encoded(password) + "&code=" + encoded(code);
  }

  /// Signs in with a recovery code, which works at any time.
  public void signInAgain() {
    HttpResponse<String> done = signIn(server, name, PASSWORD, recoveryCode());
    assertThat(done.statusCode()).as(done.body()).isEqualTo(303);
    cookie = cookieOf(done);
  }

  /// Signs in with a recovery code on the form that leads to an address.
  HttpResponse<String> signInFor(String next) {
    String body = form(name, PASSWORD, recoveryCode());
    String address = "/console/sign-in?next=" + encoded(next);
    return server.callUntilAccepted("POST", address, body, OWN_PAGE);
  }

  String recoveryCode() {
    return recoveryCodes.removeFirst();
  }

  /// The one-time code of a time, such as thirty seconds from now for the next one.
  String code(int secondsFromNow) {
    return Totp.code(secret, Instant.now().plusSeconds(secondsFromNow));
  }

  public String cookie() {
    return cookie;
  }

  public String name() {
    return name;
  }

  /// Calls the admin API as a page of the console does.
  public HttpResponse<String> call(String method, String path, String body) {
    return server.call(
        method, "/api/admin" + path, body, with(new String[] {"cookie", cookie}, OWN_PAGE));
  }

  /// A personal token.
  public String token(Role role) {
    String body = "{\"name\":\"test\",\"role\":\"" + role.word() + "\"}";
    HttpResponse<String> made =
        server.callUntilAccepted(
            "POST", "/api/admin/tokens", body, with(new String[] {"cookie", cookie}, OWN_PAGE));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return json(made.body()).path("token").asText();
  }

  static String cookieOf(HttpResponse<String> reply) {
    String line =
        reply.headers().allValues("set-cookie").stream()
            .filter(each -> each.contains("fairgate_operator="))
            .findFirst()
            .orElse("");
    return line.isEmpty() ? "" : line.substring(0, line.indexOf(';'));
  }

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(each -> each.group(1)).toList();
  }

  private static String[] with(String[] headers, String[] more) {
    List<String> all = new ArrayList<>(List.of(headers));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /// Decodes base32.
  public static byte[] decode(String base32) {
    byte[] bytes = new byte[base32.length() * 5 / 8];
    int bits = 0;
    int held = 0;
    int at = 0;
    for (int i = 0; i < base32.length(); i++) {
      bits = bits << 5 | "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(base32.charAt(i));
      held += 5;
      if (held >= 8) {
        held -= 8;
        bytes[at++] = (byte) (bits >> held);
      }
      bits &= (1 << held) - 1;
    }
    return bytes;
  }
}
