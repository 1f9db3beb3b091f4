package fairgate.sale.receipt;

import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import fairgate.platform.text.PriceText;
import fairgate.sale.receipt.ReceiptChannels.Message;

/// Writes receipts in the buyer's language.
final class ReceiptText {
  private ReceiptText() {}

  /// @param product the product's name
  /// @param link the page of the order
  static Message of(Receipt receipt, String product, String link, Language language) {
    String event = "message.receipt." + receipt.event().wireName();
    String number = receipt.order().number().toString();
    return new Message(
        receipt.messageId(),
        Messages.text(language, event + "_subject", number),
        Messages.text(
            language,
            receipt.deposit() == 0 ? event : event + "_deposit",
            number,
            product,
            receipt.quantity(),
            money(receipt, receipt.amount().minorUnits(), language),
            link,
            money(receipt, receipt.deposit(), language),
            money(receipt, receipt.amount().minorUnits() + receipt.deposit(), language)));
  }

  private static String money(Receipt receipt, long minorUnits, Language language) {
    return PriceText.of(language, minorUnits, receipt.amount().currency());
  }
}
