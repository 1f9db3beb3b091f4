package fairgate.app.pages;

import com.microsoft.playwright.Page;
import fairgate.app.TestFairgate;
import fairgate.operator.access.TestOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/// A server with its first owner, and Chromium, for the tests of the console. The tests of a class
/// share the server, so each has sales of its own.
public abstract class ConsoleScene {
  protected final Chromium chromium = new Chromium();

  @SuppressWarnings("NullAway.Init")
  protected static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  protected static TestOperator owner;

  @BeforeAll
  static void startServer() {
    server = TestFairgate.start();
    owner = TestOperator.firstOwner(server);
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @AfterEach
  void closePages() {
    chromium.close();
  }

  /// The console, signed in as the owner.
  protected Page console(int width, String locale) {
    return chromium.console(server, owner, locale, width);
  }
}
