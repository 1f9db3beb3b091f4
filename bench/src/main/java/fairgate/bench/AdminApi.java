package fairgate.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/// An operator's calls to a server on this machine.
public record AdminApi(int port, String token) {
  /// Creates a product.
  ///
  /// @param policy JSON object
  void create(String product, int units, String policy) throws IOException, InterruptedException {
    post(
        "/products",
        """
        {"id":"%s","name":"Bench","image_url":"","price":100,"total_stock":%d,"policy":%s}
        """
            .formatted(product, units, policy));
  }

  void open(String product) throws IOException, InterruptedException {
    post("/products/" + product + "/open", "");
  }

  void post(String path, String body) throws IOException, InterruptedException {
    var _ = call("POST", "/api/admin" + path, body);
  }

  /// The body of the reply.
  public String call(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Authorization", "Bearer " + token)
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 300) {
        throw new IOException(path + ": " + answer.body());
      }
      return answer.body();
    }
  }
}
