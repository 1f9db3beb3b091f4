package fairgate.sale.receipt;

import fairgate.kernel.KeySeal;
import fairgate.kernel.OrderId;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.sale.receipt.PostgresReceipts.SealedContact;
import fairgate.sale.receipt.ReceiptChannels.Contact;
import java.util.Optional;

/// The addresses for the receipts of orders, encrypted. Calls block.
public final class OrderContacts {
  /// How often a buyer may give an address for an order: each time a receipt is sent.
  private static final int MAX_CHANGES = 3;

  private static final String EMAIL = "email";
  private static final String LINE = "line";

  private final PostgresReceipts receipts;
  private final KeySeal seal;
  private final ReceiptChannels channels;
  private final boolean isOn;

  /// @param isOn whether receipts are sent
  OrderContacts(PostgresReceipts receipts, KeySeal seal, ReceiptChannels channels, boolean isOn) {
    this.receipts = receipts;
    this.seal = seal;
    this.channels = channels;
    this.isOn = isOn;
  }

  public boolean takesEmail() {
    return isOn && channels.canMail();
  }

  /// Takes an e-mail address from the buyer of an order, and sends the newest receipt to it, if
  /// there is one. False if the buyer has given as many addresses as permitted.
  public boolean give(OrderId order, String address, Language language) {
    return receipts.give(order, sealed(order, new Contact.Email(address, language)), MAX_CHANGES);
  }

  /// The contact of an order; empty when it has none that can be used.
  Optional<Contact> of(OrderId order) {
    return receipts.contact(order).flatMap(found -> opened(order, found)).filter(this::isUsable);
  }

  void keep(OrderId order, Contact contact) {
    receipts.keep(order, sealed(order, contact));
  }

  private boolean isUsable(Contact contact) {
    return switch (contact) {
      case Contact.Email _ -> channels.canMail();
      case Contact.Line _ -> channels.chat().isPresent();
    };
  }

  private SealedContact sealed(OrderId order, Contact contact) {
    String channel =
        switch (contact) {
          case Contact.Email _ -> EMAIL;
          case Contact.Line _ -> LINE;
        };
    String to =
        switch (contact) {
          case Contact.Email(String address, _) -> address;
          case Contact.Line(String user, _) -> user;
        };
    JsonText json = JsonText.object().put("to", to).put("language", contact.language().name());
    return new SealedContact(channel, seal.seal(order.value(), json.bytes()));
  }

  private Optional<Contact> opened(OrderId order, SealedContact sealed) {
    return seal.open(order.value(), sealed.box())
        .map(Json::parseObject)
        .map(json -> contact(sealed.channel(), json));
  }

  private static Contact contact(String channel, JsonObject json) {
    String to = String.valueOf(json.get("to"));
    Language language = Language.valueOf(String.valueOf(json.get("language")));
    return channel.equals(LINE) ? new Contact.Line(to, language) : new Contact.Email(to, language);
  }
}
