-- Whose codes a product gives: none = the sellers' own, if any was ever brought for it, else generated ones.
ALTER TABLE redeem_products ADD COLUMN codes text CHECK (codes IN ('generated', 'seller'));
CREATE INDEX redemption_codes_of_sellers ON redemption_codes (product_id) WHERE source = 'seller';
