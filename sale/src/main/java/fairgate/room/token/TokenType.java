package fairgate.room.token;

/// The types of room tokens. Each type of a room has a key of its own, so a token of one type fails
/// the signature check of the others.
public enum TokenType {
  /// A place in the queue: the ticket of one browser.
  PLACE("place"),
  /// The right to enter now, once.
  TURN("turn"),
  /// The right to use the protected site until it ends.
  PASS("pass");

  private final String word;

  TokenType(String word) {
    this.word = word;
  }

  /// The name in key ids and purposes.
  public String word() {
    return word;
  }

  /// The `typ` of the token's header.
  public String header() {
    return "fg-" + word + "+jwt";
  }
}
