package fairgate.crowd.rehearsal;

/// The device with which a simulated person calls: the headers of its client, and its device key.
///
/// @param key the name of the key within the crowd, for devices with copies of one key; empty for a
///   client that makes none; [#OWN] for a key of its own
record Device(Client client, String key) {
  static final String OWN = "own";

  /// A program that copies all headers of a browser and makes no key.
  static final Device COPY = new Device(Client.CHROME, "");

  /// A program that copies a browser's `User-Agent` and language only.
  static final Device SCRIPT = new Device(Client.SCRIPT, "");

  /// The browser of an automation library with its default settings: it says that it is headless.
  static final Device HEADLESS = new Device(Client.HEADLESS, OWN);

  /// Devices of people, in turn: of twenty people one has a window that keeps no key, one an
  /// extension that hides the language, and one the browser of an app.
  private static final int KINDS = 20;

  /// An automated browser that looks like any other, and works with a copy of one profile.
  ///
  /// @param profile the name of the profile
  static Device copyOf(String profile) {
    return new Device(Client.CHROME, profile);
  }

  /// The device of an honest person.
  static Device ofPerson(int person) {
    return switch (person % KINDS) {
      case 3 -> new Device(Client.FIREFOX, "");
      case 7 -> new Device(Client.NO_LANGUAGE, OWN);
      case 11 -> new Device(Client.IN_APP, OWN);
      case 1, 5, 9, 13, 17 -> new Device(Client.CHROME, OWN);
      case 15 -> new Device(Client.FIREFOX, OWN);
      case 0, 2, 4, 6, 8, 10 -> new Device(Client.PHONE_SAFARI, OWN);
      default -> new Device(Client.PHONE_CHROME, OWN);
    };
  }

  /// The headers that a client sends.
  enum Client {
    /// As [#CHROME], over plain http.
    PLAIN(Agents.CHROME, true, false, false),
    CHROME(Agents.CHROME, true, true, true),
    FIREFOX(
        "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", true, true, true),
    PHONE_SAFARI(
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
            + " Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
        true,
        true,
        true),
    PHONE_CHROME(
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)"
            + " Chrome/142.0.0.0 Mobile Safari/537.36",
        true,
        true,
        true),
    /// The browser of an app, which sends what it likes.
    IN_APP(
        "Mozilla/5.0 (Linux; Android 15; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko)"
            + " Version/4.0 Chrome/142.0.0.0 Mobile Safari/537.36 Line/15.17.0/IAB",
        true,
        false,
        true),
    /// A browser with an extension that hides the language.
    NO_LANGUAGE(Agents.CHROME, false, true, true),
    SCRIPT(Agents.CHROME, true, false, true),
    HEADLESS(Agents.CHROME.replace("Chrome/", "HeadlessChrome/"), false, true, true);

    private final String agent;
    private final boolean language;
    private final boolean fetchMetadata;
    private final boolean https;

    Client(String agent, boolean language, boolean fetchMetadata, boolean https) {
      this.agent = agent;
      this.language = language;
      this.fetchMetadata = fetchMetadata;
      this.https = https;
    }

    String agent() {
      return agent;
    }

    boolean sendsLanguage() {
      return language;
    }

    boolean sendsFetchMetadata() {
      return fetchMetadata;
    }

    /// Whether the proxy in front of the server received its calls over https.
    boolean usesHttps() {
      return https;
    }
  }

  /// Constants of an enumeration cannot be used by its own constants.
  private static final class Agents {
    private static final String CHROME =
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
            + " Chrome/142.0.0.0 Safari/537.36";

    private Agents() {}
  }
}
