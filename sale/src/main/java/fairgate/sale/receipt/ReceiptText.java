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
    String key = "message.receipt." + receipt.event().wireName();
    String number = receipt.order().number().toString();
    return new Message(
        receipt.messageId(),
        Messages.text(language, key + "_subject", number),
        Messages.text(
            language,
            key,
            number,
            product,
            receipt.quantity(),
            PriceText.of(language, receipt.amount().minorUnits(), receipt.amount().currency()),
            link));
  }
}
