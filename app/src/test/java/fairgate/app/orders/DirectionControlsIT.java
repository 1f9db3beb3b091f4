package fairgate.app.orders;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.TestFairgate;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Invisible characters that change the direction of text are refused in all names that others
/// read.
class DirectionControlsIT {
  private static final String PRODUCT =
      "{\"id\":\"%s\",\"name\":\"Night%sOwl\",\"price\":1,\"total_stock\":1,\"policy\":{}}";

  private static TestFairgate server;

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
    server.createProduct("7", 5, "{\"preset\": \"queue\"}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> send(
      String method, String path, String body, String language) {
    return server.call(
        method,
        "/api/admin" + path,
        body,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR,
        "Accept-Language",
        language);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          POST  | /products           | {"id":"8","name":"a~b","price":1,"total_stock":1,"policy":{}} | name
          PATCH | /products/7         | {"name":"a~b"}                                                | name
          PUT   | /products/7/content | {"names":{"en":"a~b"}}                                        | names.en
          PUT   | /products/7/content | {"venue":"a~b"}                                               | venue
          PUT   | /products/7/content | {"descriptions":{"zh-Hant":"a~b"}}                           | descriptions.zh-Hant
          POST  | /api-keys           | {"name":"a~b"}                                                | name
          PUT   | /redeem/products/x1 | {"name":"a~b"}                                                | name
          POST  | /redeem/merchants   | {"name":"a~b"}                                                | name
          POST  | /operators          | {"name":"a~b","role":"viewer"}                                | name
          """)
  void aNameIsRefusedAtItsField(String method, String path, String body, String field) {
    for (String control : new String[] {"\u202e", "\\u202E", "\u2066", "\u200f", "\u061c"}) {
      HttpResponse<String> refused = send(method, path, body.replace("~", control), "en");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
      assertThat(refused.body()).contains("INVALID_REQUEST", "\"" + field + "\"");
    }
    // No database stores the first, and no page shows the second.
    for (String broken : new String[] {"\\u0000", "\\ud83d"}) {
      HttpResponse<String> refused = send(method, path, body.replace("~", broken), "en");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    }
    assertThat(server.admin("GET", "/products", "")).doesNotContain("a\u202eb");
  }

  @Test
  void theRefusalSaysWhatToDoInThreeLanguages() {
    String body = PRODUCT.formatted("9", "\u202e");
    assertThat(send("POST", "/products", body, "en").body())
        .contains("name must not contain invisible characters", "type the text instead");
    assertThat(send("POST", "/products", body, "zh-TW").body()).contains("改用鍵盤輸入");
    assertThat(send("POST", "/products", body, "zh-CN").body()).contains("改用键盘输入");
    assertThat(send("GET", "/products/9", "", "en").statusCode()).isEqualTo(404);
    assertThat(send("POST", "/products", PRODUCT.formatted("9", "🦉"), "en").statusCode())
        .isLessThan(300);
  }
}
