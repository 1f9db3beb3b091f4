@NullMarked
package fairgate.sale.payment;

import org.jspecify.annotations.NullMarked;
