package fairgate.app.orders;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.TestFairgate;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What an operator tells about a product, and what a buyer sees of it.
class ProductContentIT {
  private static final String CONTENT =
      """
      {"names": {"en": "Winter concert", "zh-Hant": "冬季演唱會"},
       "descriptions": {"en": "# Program\\n\\nDoors open at **18:30**. <script>alert(1)</script>",
                        "zh-Hant": "**18:30** 入場"},
       "venue": "Taipei Arena", "starts_at": "2026-12-24T11:00:00Z", "seller": "Good Music Ltd.",
       "terms_url": "https://shop.example/terms",
       "images": ["https://img.example/1.jpg", "https://img.example/2.jpg"]}
      """;

  private static TestFairgate server;

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
    server.createProduct("7", 5, "{\"preset\": \"queue\"}");
    server.createProduct("8", 5, "{\"preset\": \"queue\"}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> put(String id, String content) {
    return server.call(
        "PUT",
        "/api/admin/products/" + id + "/content",
        content,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR,
        "Accept-Language",
        "en");
  }

  private static String page(String path, String language) {
    return server.call("GET", path, "", "Accept-Language", language).body();
  }

  @Test
  void buyersReadTheContentInTheirLanguage() {
    HttpResponse<String> saved = put("7", CONTENT);
    assertThat(saved.statusCode()).as(saved.body()).isEqualTo(200);
    assertThat(put("7", CONTENT).body()).isEqualTo(saved.body());
    assertThat(server.admin("GET", "/products/7/content", "")).isEqualTo(saved.body());
    String english = page("/p/7", "en");
    assertThat(english)
        .contains("<h1 class=\"name\" id=\"name\">Winter concert</h1>")
        .contains("<strong>18:30</strong>")
        .contains("Taipei Arena")
        .contains("Good Music Ltd.")
        .contains("https://shop.example/terms")
        .contains("https://img.example/2.jpg")
        .contains("<meta property=\"og:title\" content=\"Winter concert\">")
        .contains("<meta property=\"og:image\" content=\"https://img.example/1.jpg\">")
        .doesNotContain("<script>alert");
    assertThat(page("/p/7", "zh-TW")).contains("冬季演唱會", "入場");
    assertThat(page("/p/7", "zh-CN")).contains(">Ticket</h1>", "入場");
    assertThat(page("/", "en")).contains("Winter concert");
  }

  @Test
  void aProductWithoutContentLooksAsBefore() {
    assertThat(page("/p/8", "en"))
        .contains(">Ticket</h1>")
        .doesNotContain("id=\"about\"")
        .contains("<meta property=\"og:title\" content=\"Ticket\">");
    assertThat(server.admin("GET", "/products/8/content", ""))
        .contains("\"descriptions\":{}", "\"starts_at\":null");
  }

  @Test
  void wrongContentIsRefusedAndChangesNothing() {
    String before = server.admin("GET", "/products/8/content", "");
    String[] wrong = {
      "[]",
      "{\"colour\": 1}",
      "{\"names\": {\"fr\": \"x\"}}",
      "{\"names\": {\"en\": \" \"}}",
      "{\"descriptions\": {\"en\": \"" + "x".repeat(5_001) + "\"}}",
      "{\"descriptions\": {\"en\": \"" + "- ".repeat(100) + "x\"}}",
      "{\"starts_at\": \"tomorrow\"}",
      "{\"terms_url\": \"http://shop.example\"}",
      "{\"images\": [\"javascript:alert(1)\"]}",
      "{\"images\": [\"https://user@img.example/1\"]}",
      "{\"images\": [1,2,3,4,5,6,7,8,9]}",
      "{\"venue\": 7}"
    };
    for (String content : wrong) {
      HttpResponse<String> refused = put("8", content);
      assertThat(refused.statusCode()).as(content).isEqualTo(400);
      assertThat(refused.body()).contains("INVALID_REQUEST");
    }
    assertThat(server.admin("GET", "/products/8/content", "")).isEqualTo(before);
    assertThat(put("404", CONTENT).statusCode()).isEqualTo(404);
  }
}
