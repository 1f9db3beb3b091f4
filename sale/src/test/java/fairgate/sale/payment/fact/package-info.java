@NullMarked
package fairgate.sale.payment.fact;

import org.jspecify.annotations.NullMarked;
