package fairgate.app.orders;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.TestFairgate;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
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

  private static HttpResponse<String> upload(String file) {
    return server.call(
        "POST",
        "/api/admin/pictures",
        file,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR,
        "Accept-Language",
        "en");
  }

  @Test
  void anUploadedPictureIsServedToEverybodyAsAPictureOnly() {
    String file = "GIF89a<script>alert('uploaded')</script>;";
    HttpResponse<String> stored = upload(file);
    assertThat(stored.statusCode()).as(stored.body()).isEqualTo(200);
    assertThat(upload(file).body()).isEqualTo(stored.body());
    String path = stored.body().replaceAll(".*\"image_url\":\"([^\"]+)\".*", "$1");
    HttpResponse<String> picture = server.call("GET", path, "");
    assertThat(picture.body()).isEqualTo(file);
    assertThat(picture.headers().map())
        .containsEntry("content-type", List.of("image/gif"))
        .containsEntry("x-content-type-options", List.of("nosniff"))
        .containsEntry("cache-control", List.of("public, max-age=31536000, immutable"))
        .containsEntry("content-security-policy", List.of("default-src 'none'; sandbox"));
    assertThat(server.admin("PATCH", "/products/8", "{\"image_url\":\"" + path + "\"}"))
        .contains(path);
    assertThat(page("/p/8", "en")).contains("src=\"" + path + "\"");
    for (String wrong : List.of("0".repeat(64), path.substring(10).toUpperCase(Locale.ROOT), "x")) {
      assertThat(server.call("GET", "/pictures/" + wrong, "").statusCode()).isEqualTo(404);
    }
    assertThat(server.admin("GET", "/audit", ""))
        .contains("POST /api/admin/pictures")
        .doesNotContain("alert('uploaded')");
  }

  @Test
  void aFileThatIsNoPictureOrTooLargeIsRefused() {
    for (String file : List.of("", "<svg xmlns='http://www.w3.org/2000/svg'/>", "<html>GIF89a")) {
      HttpResponse<String> refused = upload(file);
      assertThat(refused.statusCode()).as(file).isEqualTo(400);
      assertThat(refused.body()).contains("The file is no PNG, JPEG, WebP or GIF.");
    }
    assertThat(upload("GIF89a" + "x").body()).contains("The file is not complete");
    HttpResponse<String> refused = upload("GIF89a" + ";".repeat(999_995));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).containsPattern("larger than the allowed 1,?000,?000 bytes");
    assertThat(upload("GIF89a" + ";".repeat(999_994)).statusCode()).isEqualTo(200);
  }
}
