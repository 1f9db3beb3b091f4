package fairgate.app.pages;

import fairgate.app.TestFairgate;

/// The whole server on real engines, for browser tests.
final class RealShop implements Shop {
  private final TestFairgate server = TestFairgate.start();

  @Override
  public String baseUrl() {
    return server.baseUrl();
  }

  @Override
  public void createProduct(String json) {
    String unused = server.admin("POST", "/products", json);
    if (unused.isEmpty()) {
      throw new AssertionError("the product was not created");
    }
  }

  @Override
  public void openSale(String id) {
    server.openSale(id);
  }

  /// Gives buyers of the product tickets.
  void sellTickets(String id) {
    String content = server.admin("PUT", "/products/" + id + "/content", "{\"tickets\": {}}");
    if (!content.contains("tickets")) {
      throw new AssertionError(content);
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
