package fairgate.app.pages;

import com.microsoft.playwright.Page;
import fairgate.app.TestFairgate;
import fairgate.operator.access.TestOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A fresh server with its first owner, and Chromium, for each test of the console.
abstract class ConsoleScene {
  final Chromium chromium = new Chromium();

  @SuppressWarnings("NullAway.Init")
  TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  TestOperator owner;

  @BeforeEach
  void startServer() {
    server = TestFairgate.start();
    owner = TestOperator.firstOwner(server);
  }

  @AfterEach
  void closeScene() {
    chromium.close();
    server.close();
  }

  /// The console, signed in as the owner.
  Page console(int width, String locale) {
    return chromium.console(server, owner, locale, width);
  }
}
