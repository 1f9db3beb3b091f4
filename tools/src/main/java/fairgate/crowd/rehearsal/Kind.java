package fairgate.crowd.rehearsal;

/// The kind of a visitor.
enum Kind {
  HONEST("honest buyers"),
  BOT("bots");

  private final String text;

  Kind(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }
}
