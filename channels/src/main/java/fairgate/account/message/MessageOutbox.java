package fairgate.account.message;

import fairgate.account.Budgets;
import fairgate.account.message.MessageOutbox.NewMessage.Charge;
import fairgate.account.message.OutgoingMessage.Content;
import fairgate.account.message.OutgoingMessage.Purpose;
import fairgate.account.message.PostgresMessages.Added;
import fairgate.account.message.PostgresMessages.Bounds;
import fairgate.account.message.PostgresMessages.Dropped;
import fairgate.account.message.PostgresMessages.Due;
import fairgate.kernel.KeySeal;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import fairgate.platform.postgres.Db;
import fairgate.platform.text.Language;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/// Messages that wait to be sent, in PostgreSQL, encrypted. A message leaves the outbox when it was
/// sent, refused, replaced or has expired. What was certainly not sent is given back to the budgets
/// that counted it. Codes come before letters: letters are only accepted while few messages wait.
/// Codes for new passwords and for joins, for which strangers can ask, are accepted while at most
/// half of the outbox is taken. Calls block.
public final class MessageOutbox {
  /// How long a message with a code is worth sending: as long as its code is valid.
  public static final Duration LIFE = Duration.ofMinutes(5);

  /// How long a letter is worth sending.
  static final Duration LETTER_LIFE = Duration.ofDays(1);

  /// The most messages that wait, of all nodes together.
  static final int MAX_WAITING = 5_000;

  /// While more messages than this wait, no letter is accepted.
  private static final int MAX_WAITING_FOR_LETTERS = 200;

  private static final Duration MIN_REST = Duration.ofSeconds(10);
  private static final Duration LEASE = MessageSender.MAX_DURATION.plusSeconds(10);
  private static final int EXPIRY_BATCH = 500;

  private final PostgresMessages messages;
  private final KeySeal seal;
  private final Budgets budgets;
  private final int maxWaiting;
  private final List<Runnable> onAccepted = new CopyOnWriteArrayList<>();

  MessageOutbox(PostgresMessages messages, KeySeal seal, Budgets budgets, int maxWaiting) {
    this.messages = messages;
    this.seal = seal;
    this.budgets = budgets;
    this.maxWaiting = maxWaiting;
  }

  public enum Acceptance {
    /// It will be sent at once.
    STORED,
    /// It will be sent as soon as possible: the service fails at the moment.
    LATE,
    /// Too many messages wait; it was not stored.
    FULL
  }

  /// A message that was taken.
  ///
  /// @param message empty for a decoy
  record Taken(Due due, Optional<OutgoingMessage> message) {}

  /// Stores a message. When this returns, it survives a crash of all nodes.
  public Acceptance accept(NewMessage message) {
    byte[] content = content(message).bytes();
    int most = message.purpose() == Purpose.VERIFICATION ? maxWaiting : maxWaiting / 2;
    Added added = messages.add(message, seal.seal(message.id(), content), new Bounds(LIFE, most));
    onAccepted.forEach(Runnable::run);
    added.replaced().forEach(this::giveBack);
    if (!added.added()) {
      return Acceptance.FULL;
    }
    return added.late() ? Acceptance.LATE : Acceptance.STORED;
  }

  /// Stores a letter in the transaction of its claim, so that a claim that succeeds once stores it
  /// once. False if too many messages wait; then nothing has happened.
  ///
  /// @param claim false if the letter must not be stored, because it was before
  public boolean accept(Letter letter, Predicate<Db> claim) {
    JsonText content =
        JsonText.object()
            .put("to", letter.to())
            .put("language", letter.language().name())
            .put("subject", letter.subject())
            .put("text", letter.text());
    boolean stored =
        messages.add(
            letter,
            seal.seal(letter.id(), content.bytes()),
            new Bounds(LETTER_LIFE, Math.min(maxWaiting, MAX_WAITING_FOR_LETTERS)),
            claim);
    onAccepted.forEach(Runnable::run);
    return stored;
  }

  /// Adds a listener for messages that this node was given. It must not block.
  void onAccepted(Runnable listener) {
    onAccepted.add(listener);
  }

  /// Gives a message back to the budgets that counted it.
  public void giveBack(String id, List<Charge> charges) {
    for (Charge charge : charges) {
      budgets.giveBack(charge.budget(), charge.who(), id).await();
    }
  }

  /// Takes messages to send. No node gets one of them again before [MessageSender#MAX_DURATION] has
  /// passed.
  List<Taken> take(Channel channel, int max) {
    List<Taken> taken = new ArrayList<>();
    for (Due due : messages.take(channel, max, MIN_REST, LEASE)) {
      open(due.id(), due.box())
          .ifPresentOrElse(
              json -> taken.add(new Taken(due, message(channel, due, json))),
              // Its master key was removed: nobody can read it any more.
              () -> messages.remove(due));
    }
    return taken;
  }

  void remove(Taken taken) {
    messages.remove(taken.due());
  }

  /// @param inDoubt whether the last try may have succeeded
  void postpone(Taken taken, Duration wait, boolean inDoubt) {
    messages.postpone(taken.due(), wait, inDoubt || taken.due().inDoubt());
  }

  /// Removes expired messages and returns their number.
  int expire() {
    int number = 0;
    List<Dropped> expired;
    do {
      expired = messages.expire(EXPIRY_BATCH);
      expired.forEach(this::giveBack);
      number += expired.size();
    } while (expired.size() == EXPIRY_BATCH);
    return number;
  }

  long waiting() {
    return messages.waiting();
  }

  private void giveBack(Dropped dropped) {
    if (!dropped.inDoubt()) {
      open(dropped.id(), dropped.box()).ifPresent(json -> giveBack(dropped.id(), charges(json)));
    }
  }

  private static JsonText content(NewMessage message) {
    JsonText charges = JsonText.array();
    for (Charge charge : message.charges()) {
      charges.add(charge.budget()).add(charge.who());
    }
    return JsonText.object()
        .put("to", message.to())
        .put("purpose", message.purpose().name())
        .put("code", message.code())
        .put("language", message.language().name())
        .put("charges", charges);
  }

  private Optional<JsonObject> open(String id, KeySeal.Sealed box) {
    return seal.open(id, box).map(Json::parseObject);
  }

  private static Optional<OutgoingMessage> message(Channel channel, Due due, JsonObject json) {
    String to = text(json, "to");
    return to.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new OutgoingMessage(
                due.id(),
                channel,
                to,
                content(json),
                Language.valueOf(text(json, "language")),
                due.createdAt(),
                due.expiresAt()));
  }

  private static Content content(JsonObject json) {
    return json.get("code") == null
        ? new Content.Text(text(json, "subject"), text(json, "text"))
        : new Content.Code(Purpose.valueOf(text(json, "purpose")), text(json, "code"));
  }

  private static List<Charge> charges(JsonObject json) {
    List<Charge> charges = new ArrayList<>();
    if (json.get("charges") instanceof List<?> list) {
      for (int i = 0; i + 1 < list.size(); i += 2) {
        charges.add(new Charge(String.valueOf(list.get(i)), String.valueOf(list.get(i + 1))));
      }
    }
    return charges;
  }

  private static String text(JsonObject json, String name) {
    return String.valueOf(json.get(name));
  }

  /// A message to be stored.
  ///
  /// @param id unique
  /// @param subject a keyed hash; a new message of the subject replaces the one that waits
  /// @param to empty for a decoy, which is stored and never sent, so that a caller cannot tell
  ///   whether there is a recipient
  /// @param charges the budgets that counted the message under its id; given back if it is not sent
  public record NewMessage(
      String id,
      Channel channel,
      String subject,
      String to,
      Purpose purpose,
      String code,
      Language language,
      List<Charge> charges) {
    public NewMessage {
      charges = List.copyOf(charges);
    }

    public record Charge(String budget, String who) {}

    @Override
    public String toString() {
      return "NewMessage[id=%s, channel=%s]".formatted(id, channel.wireName());
    }
  }

  /// An e-mail with a finished text, to be stored.
  ///
  /// @param id unique
  /// @param to an e-mail address
  public record Letter(String id, String to, Language language, String subject, String text) {
    @Override
    public String toString() {
      return "Letter[id=%s]".formatted(id);
    }
  }
}
