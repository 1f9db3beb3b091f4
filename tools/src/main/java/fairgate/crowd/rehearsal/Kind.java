package fairgate.crowd.rehearsal;

/// The kind of a visitor.
enum Kind {
  HONEST("honest buyers", 20),
  BOT("bots", 60);

  private final String text;
  private final int maxTries;

  Kind(String text, int maxTries) {
    this.text = text;
    this.maxTries = maxTries;
  }

  /// How often it sends a call that is not answered.
  int maxTries() {
    return maxTries;
  }

  String text() {
    return text;
  }
}
